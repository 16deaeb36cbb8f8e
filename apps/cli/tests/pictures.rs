//! The pictures of the models are current: drawn again they have the same bytes.

use std::fs;

use crate::common::{folders, messages, repository, scratch, superdense};

#[test]
fn pictures_of_models_are_current() {
    let (models, scratch) = (repository().join("models"), scratch("pictures"));
    for name in folders(&models) {
        let folder = models.join(&name);
        let path = folder.join("model.yaml");
        let path = path.to_str().expect("paths are UTF-8");
        let output = superdense(&scratch, &["run", path, "--plot", "picture.svg", "--quiet"]);
        assert!(output.status.success(), "{name}: {}", messages(&output));
        let kept = fs::read(folder.join("picture.svg"))
            .unwrap_or_else(|error| panic!("models/{name}/picture.svg: {error}"));
        let drawn = fs::read(scratch.join("picture.svg")).expect("a picture was drawn");
        let again =
            format!("superdense run models/{name}/model.yaml --plot models/{name}/picture.svg");
        assert!(drawn == kept, "the picture of {name} is old; draw it again with\n  {again}");
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
