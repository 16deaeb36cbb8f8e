//! The pictures of the models are current: drawn again they are the same. With
//! `SUPERDENSE_BLESS=1` they are renewed instead.

use std::fs;

use crate::common::{folders, messages, repository, same_picture, scratch, superdense};

#[test]
fn pictures_of_models_are_current() {
    let (models, scratch) = (repository().join("models"), scratch("pictures"));
    for name in folders(&models) {
        let folder = models.join(&name);
        let path = folder.join("model.yaml");
        let path = path.to_str().expect("paths are UTF-8");
        let output = superdense(&scratch, &["run", path, "--plot", "picture.svg", "--quiet"]);
        assert!(output.status.success(), "{name}: {}", messages(&output));
        let drawn = fs::read_to_string(scratch.join("picture.svg")).expect("a picture was drawn");
        let again =
            format!("superdense run models/{name}/model.yaml --plot models/{name}/picture.svg");
        same_picture::check(&folder.join("picture.svg"), &drawn, same_picture::bless())
            .unwrap_or_else(|old| panic!("{old}\ndraw it again with\n  {again}"));
    }
}

#[test]
fn every_readme_shows_its_picture() {
    for name in folders(&repository().join("models")) {
        let path = repository().join("models").join(&name).join("README.md");
        let text = fs::read_to_string(path).expect("a text");
        assert!(text.contains("](picture.svg)"), "models/{name}/README.md shows no picture");
    }
}

#[test]
fn the_gallery_shows_pictures_that_are_there() {
    let text = fs::read_to_string(repository().join("README.md")).expect("a text");
    let gallery = text.split("## Gallery").nth(1).expect("a gallery");
    let gallery = gallery.split("\n## ").next().expect("a section");
    let shown: Vec<&str> =
        gallery.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!((4..=12).contains(&shown.len()), "{shown:?}");
    for picture in shown {
        assert!(repository().join(picture).is_file(), "README.md shows {picture}");
    }
}
