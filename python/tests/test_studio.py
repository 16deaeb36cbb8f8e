"""The studio from Python: its link answers, its edits come back, and it ends."""

import urllib.error
import urllib.request

import pytest

import superdense as sd


def page(link):
    with urllib.request.urlopen(link, timeout=10) as answer:
        return answer.read().decode()


def test_a_model_of_a_file_is_edited_in_its_file(ball):
    with ball.studio(browser=False) as studio:
        assert "<html" in page(studio.link)
        assert studio.path.name == "model.yaml" and studio.link in studio._repr_html_()
        assert studio.model().signals == ball.signals
        link = studio.link
    with pytest.raises(urllib.error.URLError):
        page(link)
    assert "closed" in repr(studio)
    studio.close()


def test_a_model_made_in_python_has_a_file_of_its_own():
    d = sd.Diagram("line")
    x = d.Integrator(1, initial=0)
    d.record(x)
    d.simulate(stop=1)
    studio = d.model().studio(browser=False)
    studio.path.write_text(studio.path.read_text().replace("stop: 1", "stop: 2"))
    assert studio.model().run().t[-1] == 2
    studio.close()
    assert not studio.path.exists()


def test_what_the_studio_cannot_run_is_refused(tmp_path):
    @sd.function
    def f(x):
        return x

    d = sd.Diagram()
    f(d, sd.time, name="y")
    with pytest.raises(ValueError, match="cannot call `f`"):
        d.model().studio(browser=False)
