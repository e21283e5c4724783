"""Training steps written by hand, op by op, as TensorFlow would: forward, gradients, updates; NHWC, float."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pardnn.graph.build import build
from pardnn.graph.opgraph import OpGraph
from pardnn.graph.raw import AttrValue, DType, RawGraph, RawNode, Shape, Source

FLOAT, INT32 = DType(1), DType(3)
Dims = tuple[int, ...]


@dataclass(frozen=True)
class Value:
    """An op's first output."""

    name: str
    dims: Dims


@dataclass
class Net:
    """Collects nodes; `tape` holds, per layer, what turns the gradient of its result into that of its input."""

    nodes: list[RawNode] = field(default_factory=list)
    tape: list[Callable[[Value], Value]] = field(default_factory=list)

    def op(self, op: str, inputs: list[str], *outputs: Dims, **attrs: AttrValue) -> Value:
        name = f"{op}_{len(self.nodes)}"
        shapes = tuple(Shape(dims) for dims in outputs)
        attributes: dict[str, AttrValue] = {"T": FLOAT, "dtype": FLOAT, "_output_shapes": shapes, **attrs}
        self.nodes.append(RawNode(name, op, tuple(inputs), "", attributes))
        return Value(name, outputs[0] if outputs else ())

    def variable(self, *dims: int) -> Value:
        return self.op("VariableV2", [], dims, shape=Shape(dims))

    def update(self, variable: Value, gradient: str) -> None:
        rate = self.op("Const", [], ())
        self.op("ApplyGradientDescent", [variable.name, rate.name, gradient], variable.dims)

    def conv(self, x: Value, size: int, channels: int, stride: int = 1) -> Value:
        n, h, w, c = x.dims
        weights = self.variable(size, size, c, channels)
        dims = (n, -(-h // stride), -(-w // stride), channels)
        strides = (1, stride, stride, 1)
        y = self.op("Conv2D", [x.name, weights.name], dims, strides=strides)

        def backward(g: Value) -> Value:
            sizes = self.op("Const", [], (4,), dtype=INT32).name
            dw = self.op("Conv2DBackpropFilter", [x.name, sizes, g.name], weights.dims, strides=strides)
            self.update(weights, dw.name)
            return self.op("Conv2DBackpropInput", [sizes, weights.name, g.name], x.dims, strides=strides)

        self.tape.append(backward)
        return y

    def bias(self, x: Value) -> Value:
        bias = self.variable(x.dims[-1])
        y = self.op("BiasAdd", [x.name, bias.name], x.dims)

        def backward(g: Value) -> Value:
            self.update(bias, self.op("BiasAddGrad", [g.name], bias.dims).name)
            return g

        self.tape.append(backward)
        return y

    def norm(self, x: Value) -> Value:
        c = x.dims[-1]
        scale, offset = self.variable(c), self.variable(c)
        statistics = [(c,)] * 4
        y = self.op("FusedBatchNorm", [x.name, scale.name, offset.name], x.dims, *statistics, is_training=True)

        def backward(g: Value) -> Value:
            inputs = [g.name, x.name, scale.name, f"{y.name}:3", f"{y.name}:4"]
            dx = self.op("FusedBatchNormGrad", inputs, x.dims, (c,), (c,), (0,), (0,), is_training=True)
            self.update(scale, f"{dx.name}:1")
            self.update(offset, f"{dx.name}:2")
            return dx

        self.tape.append(backward)
        return y

    def relu(self, x: Value) -> Value:
        y = self.op("Relu", [x.name], x.dims)
        self.tape.append(lambda g: self.op("ReluGrad", [g.name, y.name], x.dims))
        return y

    def pool(self, x: Value, size: int, stride: int) -> Value:
        n, h, w, c = x.dims
        attrs: dict[str, AttrValue] = {"ksize": (1, size, size, 1), "strides": (1, stride, stride, 1)}
        y = self.op("MaxPool", [x.name], (n, -(-h // stride), -(-w // stride), c), **attrs)
        self.tape.append(lambda g: self.op("MaxPoolGrad", [x.name, y.name, g.name], x.dims, **attrs))
        return y

    def flat(self, x: Value, mean: bool = False) -> Value:
        n, h, w, c = x.dims
        dims = (n, c) if mean else (n, h * w * c)
        y = self.op("Mean" if mean else "Reshape", [x.name, self.op("Const", [], (2,), dtype=INT32).name], dims)
        self.tape.append(lambda g: self.op("Tile" if mean else "Reshape", [g.name, y.name], x.dims))
        return y

    def dense(self, x: Value, units: int) -> Value:
        weights = self.variable(x.dims[1], units)
        y = self.op("MatMul", [x.name, weights.name], (x.dims[0], units))

        def backward(g: Value) -> Value:
            self.update(weights, self.op("MatMul", [x.name, g.name], weights.dims, transpose_a=True).name)
            return self.op("MatMul", [g.name, weights.name], x.dims, transpose_b=True)

        self.tape.append(backward)
        return y

    def residual(self, x: Value, branch: Callable[[Value], Value], shortcut: Callable[[Value], Value] | None) -> Value:
        """relu-less sum of two paths."""
        start = len(self.tape)
        y = branch(x)
        main, self.tape[start:] = self.tape[start:], []
        other = shortcut(x) if shortcut else x
        side, self.tape[start:] = self.tape[start:], []
        total = self.op("AddV2", [y.name, other.name], y.dims)

        def backward(g: Value) -> Value:
            left = right = g
            for step in reversed(main):
                left = step(left)
            for step in reversed(side):
                right = step(right)
            return self.op("AddN", [left.name, right.name], x.dims)

        self.tape.append(backward)
        return total

    def train(self, logits: Value) -> OpGraph:
        labels = self.op("Placeholder", [], logits.dims)
        loss = self.op("SoftmaxCrossEntropyWithLogits", [logits.name, labels.name], logits.dims[:1], logits.dims)
        gradient = Value(f"{loss.name}:1", logits.dims)
        for backward in reversed(self.tape):
            gradient = backward(gradient)
        source = Source("by hand", "GraphDef", False, False, "")
        return build(RawGraph(tuple(self.nodes), (), source))


def vgg16(batch: int) -> OpGraph:
    """Simonyan and Zisserman 2015, configuration D: 138,357,544 parameters."""
    net = Net()
    x = net.op("Placeholder", [], (batch, 224, 224, 3))
    for channels, repeats in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(repeats):
            x = net.relu(net.bias(net.conv(x, 3, channels)))
        x = net.pool(x, 2, 2)
    x = net.flat(x)
    for units in (4096, 4096):
        x = net.relu(net.bias(net.dense(x, units)))
    return net.train(net.bias(net.dense(x, 1000)))


def resnet50(batch: int) -> OpGraph:
    """He et al. 2016, stride in the 3x3 convolution: 25,557,032 parameters."""
    net = Net()
    x = net.op("Placeholder", [], (batch, 224, 224, 3))
    x = net.pool(net.relu(net.norm(net.conv(x, 7, 64, 2))), 3, 2)
    for stage, (width, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
        for block in range(blocks):
            stride = 2 if stage and not block else 1

            def bottleneck(x: Value, width: int = width, stride: int = stride) -> Value:
                y = net.relu(net.norm(net.conv(x, 1, width)))
                y = net.relu(net.norm(net.conv(y, 3, width, stride)))
                return net.norm(net.conv(y, 1, 4 * width))

            def shortcut(x: Value, width: int = width, stride: int = stride) -> Value:
                return net.norm(net.conv(x, 1, 4 * width, stride))

            x = net.relu(net.residual(x, bottleneck, None if block else shortcut))
    return net.train(net.bias(net.dense(net.flat(x, mean=True), 1000)))
