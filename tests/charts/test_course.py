"""Scale and shift of the normalisation over the steps of a training."""

from attnviz.charts.plots import course_of_norm


def test_each_layer_has_a_line_for_its_scale_and_one_for_its_shift() -> None:
    steps = [[{"scale": 1.0, "shift": 0.0}, {"scale": 2.0, "shift": -1.0}] for _ in range(2)]
    steps.append([{"scale": 0.5, "shift": -0.5}, {"scale": 1.5, "shift": -2.0}])
    lines = {line.name: list(line.y) for line in course_of_norm(steps).data}
    assert lines == {
        "scale, layer 1": [1, 1, 0.5],
        "shift, layer 1": [0, 0, -0.5],
        "scale, layer 2": [2, 2, 1.5],
        "shift, layer 2": [-1, -1, -2],
    }
