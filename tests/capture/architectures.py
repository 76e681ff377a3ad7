"""Architectures with attention: how many calls are captured, how many gates, and what is refused.

Counts were checked against the source of each model, and a test holds them against an oracle.
"""

from tests.capture.builders import (
    PICTURE,
    SMALL,
    VIT,
    Row,
    decoder,
    encoder,
    hugging_face,
    of_torchvision,
    timm,
    vit_pytorch,
)

ALL: dict[str, Row] = {
    "torch encoder": Row(encoder, 3),
    "torch transformer": Row(decoder, 6),
    "torchvision vit_b_16": Row(of_torchvision("vit_b_16"), 12),
    "torchvision swin_t": Row(of_torchvision("swin_t"), 12),
    "torchvision swin_v2_t": Row(of_torchvision("swin_v2_t"), 12),
    "torchvision maxvit_t": Row(of_torchvision("maxvit_t"), 22, gates=11),
    "torchvision swin_v2_s": Row(of_torchvision("swin_v2_s"), 24),
    "torchvision vit_b_32": Row(of_torchvision("vit_b_32"), 12),
}
ALL["timm test_vit"] = Row(timm("test_vit"), 6)
ALL["timm vit_small_patch16_224"] = Row(timm("vit_small_patch16_224"), 12)
ALL["timm deit3_small_patch16_224"] = Row(timm("deit3_small_patch16_224"), 12)
ALL["timm deit_tiny_distilled_patch16_224"] = Row(timm("deit_tiny_distilled_patch16_224"), 12)
ALL["timm flexivit_small"] = Row(timm("flexivit_small"), 12)
ALL["timm vit_base_patch16_clip_224"] = Row(timm("vit_base_patch16_clip_224"), 12)
ALL["timm vit_small_patch14_reg4_dinov2"] = Row(timm("vit_small_patch14_reg4_dinov2", 224, img_size=224), 12)
ALL["timm vit_small_patch16_dinov3"] = Row(timm("vit_small_patch16_dinov3"), 12)
ALL["timm vit_small_patch16_rope_224"] = Row(timm("vit_small_patch16_rope_224"), 12)
ALL["timm eva02_tiny_patch14_224"] = Row(timm("eva02_tiny_patch14_224"), 12)
ALL["timm naflexvit_base_patch16_gap"] = Row(timm("naflexvit_base_patch16_gap"), 12)
ALL["timm vit_base_patch16_siglip_224"] = Row(timm("vit_base_patch16_siglip_224"), 13)
ALL["timm beit_base_patch16_224"] = Row(timm("beit_base_patch16_224"), 12)
ALL["timm vit_relpos_small_patch16_224"] = Row(timm("vit_relpos_small_patch16_224"), 12)
ALL["timm coatnet_nano_rw_224"] = Row(timm("coatnet_nano_rw_224"), 9, gates=7)
ALL["timm maxvit_tiny_tf_224"] = Row(timm("maxvit_tiny_tf_224"), 22, gates=11)
ALL["timm tiny_vit_5m_224"] = Row(timm("tiny_vit_5m_224"), 10)
ALL["timm samvit_base_patch16_224"] = Row(timm("samvit_base_patch16_224"), 12)
ALL["timm swin_tiny_patch4_window7_224"] = Row(timm("swin_tiny_patch4_window7_224"), 12)
ALL["timm swinv2_tiny_window8_256"] = Row(timm("swinv2_tiny_window8_256"), 12)
ALL["timm gcvit_xxtiny"] = Row(timm("gcvit_xxtiny"), 12, gates=11)
ALL["timm levit_128s"] = Row(timm("levit_128s"), 11)
ALL["timm mvitv2_tiny"] = Row(timm("mvitv2_tiny"), 10)
ALL["timm efficientformer_l1"] = Row(timm("efficientformer_l1"), 1)
ALL["timm visformer_tiny"] = Row(timm("visformer_tiny"), 8)
ALL["timm tnt_s_patch16_224"] = Row(timm("tnt_s_patch16_224"), 24)
ALL["timm botnet26t_256"] = Row(timm("botnet26t_256"), 3)
ALL["timm halonet26t"] = Row(timm("halonet26t"), 3)
ALL["timm cait_xxs24_224"] = Row(timm("cait_xxs24_224"), 2, {"CHANGED": 24})
ALL["timm xcit_nano_12_p16_224"] = Row(timm("xcit_nano_12_p16_224"), 2, {"CHANNELS": 12})
ALL["timm davit_tiny"] = Row(timm("davit_tiny"), 6, {"CHANNELS": 6})
ALL["timm edgenext_xx_small"] = Row(timm("edgenext_xx_small"), 0, {"CHANNELS": 3})
ALL["timm pvt_v2_b0"] = Row(timm("pvt_v2_b0"), 8)
ALL["timm twins_svt_small"] = Row(timm("twins_svt_small"), 18)
ALL["timm twins_pcpvt_small"] = Row(timm("twins_pcpvt_small"), 16)
ALL["timm hiera_tiny_224"] = Row(timm("hiera_tiny_224"), 12)
ALL["timm pit_ti_224"] = Row(timm("pit_ti_224"), 12)
ALL["timm nest_tiny"] = Row(timm("nest_tiny"), 12)
ALL["timm mobilevit_xxs"] = Row(timm("mobilevit_xxs"), 9)
ALL["timm mobilevitv2_050"] = Row(timm("mobilevitv2_050"), 0, {"NO_SCORES": 9})
ALL["timm fastvit_sa12"] = Row(timm("fastvit_sa12"), 2, gates=1)
ALL["timm nextvit_small"] = Row(timm("nextvit_small"), 4)
ALL["timm caformer_s18"] = Row(timm("caformer_s18"), 12)
ALL["timm crossvit_tiny_240"] = Row(timm("crossvit_tiny_240"), 21)
ALL["timm volo_d1_224"] = Row(timm("volo_d1_224"), 16, {"NO_SCORES": 4})
ALL["timm coat_tiny"] = Row(timm("coat_tiny"), 0, {"OTHER_AXIS": 26})
ALL["timm convit_tiny"] = Row(timm("convit_tiny"), 2, {"CHANGED": 10}, other_softmaxes=10)
ALL["timm efficientvit_b0"] = Row(timm("efficientvit_b0"), 0, {"LINEAR": 4})
ALL["timm efficientvit_m0"] = Row(timm("efficientvit_m0"), 24, gates=2)
ALL["timm lambda_resnet26t"] = Row(timm("lambda_resnet26t"), 0, {"NO_SCORES": 3})
ALL["timm hieradet_small"] = Row(timm("hieradet_small"), 16)
ALL["timm swiftformer_xs"] = Row(timm("swiftformer_xs"), 0)
ALL["timm mobilenetv4_hybrid_medium"] = Row(timm("mobilenetv4_hybrid_medium"), 8)
ALL["timm efficientformerv2_s0"] = Row(timm("efficientformerv2_s0"), 1, {"CHANGED": 4})
ALL["timm vit_medium_patch16_gap_240"] = Row(timm("vit_medium_patch16_gap_240"), 12)
ALL["timm vit_wee_patch16_reg1_gap_256"] = Row(timm("vit_wee_patch16_reg1_gap_256"), 14)
ALL["timm vit_little_patch16_reg4_gap_256"] = Row(timm("vit_little_patch16_reg4_gap_256"), 14)
ALL["timm vitamin_small_224"] = Row(timm("vitamin_small_224"), 14)
ALL["timm sebotnet33ts_256"] = Row(timm("sebotnet33ts_256"), 4, gates=6)
ALL["timm hiera_small_abswin_256"] = Row(timm("hiera_small_abswin_256"), 16)
ALL["timm vit_betwixt_patch16_rope_reg4_gap_256"] = Row(timm("vit_betwixt_patch16_rope_reg4_gap_256"), 12)
ALL["timm resnet50_clip"] = Row(timm("resnet50_clip"), 1)
ALL["timm fastvit_mci0"] = Row(timm("fastvit_mci0"), 2, gates=3)
ALL["timm vit_xsmall_patch16_clip_224"] = Row(timm("vit_xsmall_patch16_clip_224"), 10)
ALL["timm halo2botnet50ts_256"] = Row(timm("halo2botnet50ts_256"), 6)
ALL["timm sehalonet33ts"] = Row(timm("sehalonet33ts"), 4, gates=6)
ALL["timm shvit_s1"] = Row(timm("shvit_s1"), 9, gates=2)
ALL["timm csatv2"] = Row(timm("csatv2"), 4, {"CHANNELS": 14})
ALL["timm iformer_t"] = Row(timm("iformer_t"), 5)
ALL["timm vit_dwee_patch16_reg1_gap_256"] = Row(timm("vit_dwee_patch16_reg1_gap_256"), 0, {"COMBINED": 28})
ALL["timm cpubone_s0"] = Row(timm("cpubone_s0"), 5)
ALL["timm efficientvim_m1"] = Row(timm("efficientvim_m1"), 0, {"NO_SCORES": 6}, gates=2, other_softmaxes=1)
ALL["timm lowformer_b0"] = Row(timm("lowformer_b0"), 7)
ALL["timm swinv2_cr_tiny_224"] = Row(timm("swinv2_cr_tiny_224"), 12)
ALL["timm vit_small_r26_s32_224"] = Row(timm("vit_small_r26_s32_224"), 12)
ALL["timm eca_halonext26ts"] = Row(timm("eca_halonext26ts"), 3, gates=5)
ALL["timm bat_resnext26ts"] = Row(timm("bat_resnext26ts"), 0, {"LINEAR": 8})
ALL["transformers ViTModel"] = Row(hugging_face("ViTConfig", "ViTModel", **PICTURE), 2)
ALL["transformers DeiTModel"] = Row(hugging_face("DeiTConfig", "DeiTModel", **PICTURE), 2)
ALL["transformers Dinov2Model"] = Row(hugging_face("Dinov2Config", "Dinov2Model", **PICTURE), 2)
ALL["transformers Dinov2WithRegistersModel"] = Row(
    hugging_face("Dinov2WithRegistersConfig", "Dinov2WithRegistersModel", **PICTURE), 2
)
ALL["transformers DINOv3ViTModel"] = Row(hugging_face("DINOv3ViTConfig", "DINOv3ViTModel", **PICTURE), 2)
ALL["transformers CLIPVisionModel"] = Row(hugging_face("CLIPVisionConfig", "CLIPVisionModel", **PICTURE), 2)
ALL["transformers SiglipVisionModel"] = Row(hugging_face("SiglipVisionConfig", "SiglipVisionModel", **PICTURE), 3)
ALL["transformers IJepaModel"] = Row(hugging_face("IJepaConfig", "IJepaModel", **PICTURE), 2)
ALL["transformers ViTMAEModel"] = Row(hugging_face("ViTMAEConfig", "ViTMAEModel", **PICTURE), 2)
ALL["transformers BeitModel"] = Row(hugging_face("BeitConfig", "BeitModel", **PICTURE), 2)
ALL["transformers Data2VecVisionModel"] = Row(hugging_face("Data2VecVisionConfig", "Data2VecVisionModel", **PICTURE), 2)
ALL["transformers ViTModel, eager"] = Row(hugging_face("ViTConfig", "ViTModel", how="eager", **PICTURE), 2)
ALL["transformers SwinModel"] = Row(
    hugging_face(
        "SwinConfig",
        "SwinModel",
        64,
        "eager",
        image_size=64,
        patch_size=4,
        embed_dim=16,
        depths=[2, 2],
        num_heads=[2, 4],
        window_size=4,
    ),
    4,
)
ALL["transformers Swinv2Model"] = Row(
    hugging_face(
        "Swinv2Config",
        "Swinv2Model",
        64,
        "eager",
        image_size=64,
        patch_size=4,
        embed_dim=16,
        depths=[2, 2],
        num_heads=[2, 4],
        window_size=4,
    ),
    4,
)
ALL["transformers CvtModel"] = Row(hugging_face("CvtConfig", "CvtModel", 224, "eager"), 13)
ALL["transformers LevitModel"] = Row(hugging_face("LevitConfig", "LevitModel", 224, "eager"), 14)
ALL["transformers HieraModel"] = Row(hugging_face("HieraConfig", "HieraModel", 224, "eager"), 24)
ALL["transformers SegformerModel"] = Row(hugging_face("SegformerConfig", "SegformerModel", 224, "eager"), 8)
ALL["transformers PvtModel"] = Row(hugging_face("PvtConfig", "PvtModel", 224, "eager"), 8)
ALL["transformers PvtV2Model"] = Row(hugging_face("PvtV2Config", "PvtV2Model", 224, "eager"), 8)
ALL["transformers MobileViTModel"] = Row(hugging_face("MobileViTConfig", "MobileViTModel", 224, "eager"), 9)
ALL["transformers GLPNModel"] = Row(hugging_face("GLPNConfig", "GLPNModel", 224, "eager"), 8)
ALL["transformers YolosModel"] = Row(
    hugging_face("YolosConfig", "YolosModel", 64, "eager", image_size=[64, 64], patch_size=8, **SMALL), 2
)
ALL["transformers SamVisionModel"] = Row(
    hugging_face(
        "SamVisionConfig",
        "SamVisionModel",
        64,
        "eager",
        image_size=64,
        patch_size=8,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        window_size=4,
        global_attn_indexes=[1],
        output_channels=16,
    ),
    2,
)
ALL["transformers DPTModel"] = Row(hugging_face("DPTConfig", "DPTModel", 64, "eager", **PICTURE), 2)
ALL["transformers ConvNextModel"] = Row(hugging_face("ConvNextConfig", "ConvNextModel", 224, "eager"), 0)
ALL["transformers MaskFormerSwinModel"] = Row(
    hugging_face(
        "MaskFormerSwinConfig",
        "MaskFormerSwinModel",
        64,
        "eager",
        image_size=64,
        patch_size=4,
        embed_dim=16,
        depths=[2, 2],
        num_heads=[2, 4],
        window_size=4,
    ),
    4,
)
ALL["vit-pytorch vit"] = Row(vit_pytorch("vit_pytorch.vit", "ViT", 64, **VIT), 2)
ALL["vit-pytorch simple_vit"] = Row(vit_pytorch("vit_pytorch.simple_vit", "SimpleViT", 64, **VIT), 2)
ALL["vit-pytorch vit_for_small_dataset"] = Row(vit_pytorch("vit_pytorch.vit_for_small_dataset", "ViT", 64, **VIT), 2)
ALL["vit-pytorch deepvit"] = Row(vit_pytorch("vit_pytorch.deepvit", "DeepViT", 64, **VIT), 0, {"CHANGED": 2})
ALL["vit-pytorch rvt"] = Row(vit_pytorch("vit_pytorch.rvt", "RvT", 64, **VIT), 2)
ALL["vit-pytorch parallel_vit"] = Row(vit_pytorch("vit_pytorch.parallel_vit", "ViT", 64, **VIT), 4)
ALL["vit-pytorch vit_with_patch_dropout"] = Row(vit_pytorch("vit_pytorch.vit_with_patch_dropout", "ViT", 64, **VIT), 2)
ALL["vit-pytorch simple_vit_with_register_tokens"] = Row(
    vit_pytorch("vit_pytorch.simple_vit_with_register_tokens", "SimpleViT", 64, **VIT), 2
)
ALL["vit-pytorch simple_vit_with_qk_norm"] = Row(
    vit_pytorch("vit_pytorch.simple_vit_with_qk_norm", "SimpleViT", 64, **VIT), 2
)
ALL["vit-pytorch simple_vit_with_value_residual"] = Row(
    vit_pytorch("vit_pytorch.simple_vit_with_value_residual", "SimpleViT", 64, **VIT), 2
)
ALL["vit-pytorch attn_residual_with_dca"] = Row(
    vit_pytorch("vit_pytorch.attn_residual_with_dca_simple_vit", "SimpleViT", 64, **VIT), 2, {"OTHER_AXIS": 2}
)
ALL["vit-pytorch look_vit"] = Row(
    vit_pytorch(
        "vit_pytorch.look_vit",
        "LookViT",
        64,
        image_size=64,
        patch_size=16,
        num_classes=10,
        dim=32,
        depth=2,
        heads=4,
        dim_head=8,
        highres_patch_size=8,
        highres_mlp_factor=2,
        cross_attn_heads=4,
        cross_attn_dim_head=8,
        patch_conv_kernel_size=7,
    ),
    6,
)
ALL["vit-pytorch cait"] = Row(vit_pytorch("vit_pytorch.cait", "CaiT", 64, cls_depth=1, **VIT), 0, {"CHANGED": 3})
ALL["vit-pytorch xcit"] = Row(vit_pytorch("vit_pytorch.xcit", "XCiT", 64, cls_depth=1, **VIT), 1, {"CHANNELS": 2})
ALL["vit-pytorch vit_with_patch_merger"] = Row(
    vit_pytorch("vit_pytorch.vit_with_patch_merger", "ViT", 64, patch_merge_layer=1, patch_merge_num_tokens=4, **VIT),
    3,
)
ALL["vit-pytorch learnable_memory_vit"] = Row(vit_pytorch("vit_pytorch.learnable_memory_vit", "ViT", 64, **VIT), 2)
ALL["vit-pytorch jumbo_vit"] = Row(
    vit_pytorch("vit_pytorch.jumbo_vit", "JumboViT", 64, num_jumbo_cls=2, jumbo_cls_k=2, jumbo_ff_mult=2, **VIT), 2
)
ALL["vit-pytorch max_vit"] = Row(
    vit_pytorch(
        "vit_pytorch.max_vit",
        "MaxViT",
        64,
        num_classes=10,
        dim=32,
        depth=(1, 1),
        dim_head=16,
        dim_conv_stem=16,
        window_size=4,
    ),
    4,
    gates=2,
)
ALL["vit-pytorch t2t"] = Row(
    vit_pytorch(
        "vit_pytorch.t2t",
        "T2TViT",
        64,
        image_size=64,
        num_classes=10,
        dim=32,
        depth=2,
        heads=4,
        mlp_dim=64,
        t2t_layers=((7, 4), (3, 2)),
    ),
    3,
)
ALL["vit-pytorch nest"] = Row(
    vit_pytorch(
        "vit_pytorch.nest",
        "NesT",
        64,
        image_size=64,
        patch_size=4,
        dim=24,
        heads=3,
        num_hierarchies=2,
        block_repeats=(1, 1),
        num_classes=10,
    ),
    2,
)
ALL["vit-pytorch regionvit"] = Row(
    vit_pytorch(
        "vit_pytorch.regionvit",
        "RegionViT",
        224,
        dim=(16, 32, 64, 128),
        depth=(1, 1, 1, 1),
        window_size=7,
        num_classes=10,
    ),
    8,
)
ALL["vit-pytorch sep_vit"] = Row(
    vit_pytorch(
        "vit_pytorch.sep_vit", "SepViT", 224, num_classes=10, dim=16, depth=(1, 1), heads=(1, 2), window_size=7
    ),
    4,
)
ALL["vit-pytorch mobile_vit"] = Row(
    vit_pytorch(
        "vit_pytorch.mobile_vit",
        "MobileViT",
        64,
        image_size=(64, 64),
        dims=[24, 32, 48],
        channels=[16, 16, 24, 24, 32, 32, 48, 48, 64, 64, 96],
        num_classes=10,
    ),
    6,
    {"LAYOUT": 3},
)
ALL["vit-pytorch scalable_vit"] = Row(
    vit_pytorch(
        "vit_pytorch.scalable_vit",
        "ScalableViT",
        224,
        num_classes=10,
        dim=16,
        heads=(2, 4),
        depth=(1, 1),
        ssa_dim_key=(8, 8),
        reduction_factor=(2, 1),
        window_size=(8, None),
    ),
    4,
)
ALL["vit-pytorch twins_svt"] = Row(
    vit_pytorch(
        "vit_pytorch.twins_svt", "TwinsSVT", 224, num_classes=10, s1_depth=1, s2_depth=1, s3_depth=1, s4_depth=1
    ),
    14,
)
ALL["vit-pytorch cvt"] = Row(
    vit_pytorch("vit_pytorch.cvt", "CvT", 224, num_classes=10, s1_depth=1, s2_depth=1, s3_depth=1), 3
)
ALL["vit-pytorch levit"] = Row(
    vit_pytorch(
        "vit_pytorch.levit",
        "LeViT",
        224,
        image_size=224,
        num_classes=10,
        stages=3,
        dim=(32, 48, 64),
        depth=1,
        heads=(2, 3, 4),
        mlp_mult=2,
    ),
    5,
)
ALL["vit-pytorch cross_vit"] = Row(
    vit_pytorch(
        "vit_pytorch.cross_vit",
        "CrossViT",
        64,
        image_size=64,
        num_classes=10,
        depth=1,
        sm_dim=16,
        lg_dim=32,
        sm_patch_size=8,
        lg_patch_size=16,
        sm_enc_depth=1,
        lg_enc_depth=1,
        cross_attn_depth=1,
    ),
    4,
)
