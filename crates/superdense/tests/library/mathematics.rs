//! Truths about the standard diagrams of this category.
