"""Architectures without attention: nothing is captured, but for the gates that there are."""

from torch import nn

from tests.capture.builders import Recurrent, Row, UNet, Written, of_torchvision, small, timm

NONE: dict[str, Row] = {
    "none gru": Row(small(lambda: Recurrent(nn.GRUCell)), 0),
    "none lstm": Row(small(lambda: Recurrent(nn.LSTMCell)), 0),
    "none rnn": Row(small(lambda: Recurrent(nn.RNNCell)), 0),
    "none written": Row(small(Written), 0),
    "none unet": Row(small(UNet), 0),
    "none gated unet": Row(small(lambda: UNet(gated=True)), 0, gates=1),
}
NONE["none resnet18"] = Row(of_torchvision("resnet18", 96), 0)
NONE["none resnet50"] = Row(of_torchvision("resnet50", 96), 0)
NONE["none resnext50_32x4d"] = Row(of_torchvision("resnext50_32x4d", 96), 0)
NONE["none wide_resnet50_2"] = Row(of_torchvision("wide_resnet50_2", 96), 0)
NONE["none vgg11_bn"] = Row(of_torchvision("vgg11_bn", 96), 0)
NONE["none alexnet"] = Row(of_torchvision("alexnet", 96), 0)
NONE["none densenet121"] = Row(of_torchvision("densenet121", 96), 0)
NONE["none squeezenet1_1"] = Row(of_torchvision("squeezenet1_1", 96), 0)
NONE["none googlenet"] = Row(of_torchvision("googlenet", 96, init_weights=False), 0)
NONE["none shufflenet_v2_x0_5"] = Row(of_torchvision("shufflenet_v2_x0_5", 96), 0)
NONE["none mobilenet_v2"] = Row(of_torchvision("mobilenet_v2", 96), 0)
NONE["none mnasnet0_5"] = Row(of_torchvision("mnasnet0_5", 96), 0)
NONE["none convnext_tiny"] = Row(of_torchvision("convnext_tiny", 96), 0)
NONE["none regnet_x_400mf"] = Row(of_torchvision("regnet_x_400mf", 96), 0)
NONE["none mobilenet_v3_small"] = Row(of_torchvision("mobilenet_v3_small", 96), 0, gates=9)
NONE["none efficientnet_b0"] = Row(of_torchvision("efficientnet_b0", 96), 0, gates=16)
NONE["none regnet_y_400mf"] = Row(of_torchvision("regnet_y_400mf", 96), 0, gates=16)
NONE["timm mixer_s32_224, no attention"] = Row(timm("mixer_s32_224"), 0)
NONE["timm gmixer_12_224, no attention"] = Row(timm("gmixer_12_224"), 0)
NONE["timm resmlp_12_224, no attention"] = Row(timm("resmlp_12_224"), 0)
NONE["timm gmlp_ti16_224, no attention"] = Row(timm("gmlp_ti16_224"), 0)
NONE["timm poolformer_s12, no attention"] = Row(timm("poolformer_s12"), 0)
NONE["timm focalnet_tiny_srf, no attention"] = Row(timm("focalnet_tiny_srf"), 0)
NONE["timm convmixer_768_32, no attention"] = Row(timm("convmixer_768_32"), 0)
NONE["timm sequencer2d_s, no attention"] = Row(timm("sequencer2d_s"), 0)
NONE["timm skresnet18, no attention"] = Row(timm("skresnet18"), 0)
NONE["timm resnest14d, no attention"] = Row(timm("resnest14d"), 0)
NONE["timm seresnet18, no attention"] = Row(timm("seresnet18"), 0, gates=8)
NONE["timm ecaresnet26t, no attention"] = Row(timm("ecaresnet26t"), 0, gates=8)
NONE["timm gcresnet33ts, no attention"] = Row(timm("gcresnet33ts"), 0)
NONE["timm cspresnet50, no attention"] = Row(timm("cspresnet50"), 0)
NONE["timm dla34, no attention"] = Row(timm("dla34"), 0)
NONE["timm hrnet_w18_small, no attention"] = Row(timm("hrnet_w18_small"), 0)
NONE["timm repvgg_a0, no attention"] = Row(timm("repvgg_a0"), 0)
NONE["timm mambaout_femto, no attention"] = Row(timm("mambaout_femto"), 0)
NONE["timm hgnet_tiny, no attention"] = Row(timm("hgnet_tiny"), 0, gates=5)
NONE["timm ese_vovnet19b_dw, no attention"] = Row(timm("ese_vovnet19b_dw"), 0, gates=4)
NONE["timm mobilenetv3_small_050, no attention"] = Row(timm("mobilenetv3_small_050"), 0, gates=9)
NONE["timm inception_next_atto, no attention"] = Row(timm("inception_next_atto"), 0)
NONE["timm lcnet_050, no attention"] = Row(timm("lcnet_050"), 0, gates=2)
NONE["timm starnet_s1, no attention"] = Row(timm("starnet_s1"), 0)
