"""Architectures for more than naming a picture: detectors, masks, depth, matching, video, pictures and words, and words
alone; with what is captured and refused of each, as in `architectures`."""

from typing import Any

import torch

from tests.capture.builders import PICTURE, SMALL, Row, of_parts, pictures, transformer, video

TASKS: dict[str, Row] = {}
_WORDS = {"vocab_size": 60, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
_LANGUAGE = {**SMALL, **_WORDS, "num_key_value_heads": 2}
_RESNET = {"embedding_size": 8, "hidden_sizes": [8, 16, 32, 32], "depths": [1, 1, 1, 1], "layer_type": "basic"}
_DETECTOR = {
    "use_timm_backbone": False, "use_pretrained_backbone": False, "backbone": None, "d_model": 32, "num_queries": 5,
    "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64, "decoder_ffn_dim": 64,
}  # fmt: skip
_LAST, _LEVELS = {"out_features": ["stage4"]}, {"out_features": ["stage2", "stage3", "stage4"]}
_TOWERS = {"text_config": {**SMALL, **_WORDS, "max_position_embeddings": 7}, "vision_config": PICTURE}

TASKS["transformers DetrModel"] = Row(
    transformer("DetrConfig", "DetrModel", backbone_config={**_RESNET, **_LAST}, **_DETECTOR), 6
)
TASKS["transformers DeformableDetrModel"] = Row(
    transformer("DeformableDetrConfig", "DeformableDetrModel", backbone_config={**_RESNET, **_LEVELS},
                num_feature_levels=3, **_DETECTOR), 2, {"NO_SCORES": 4},
)  # fmt: skip
TASKS["transformers CLIPModel"] = Row(transformer("CLIPConfig", "CLIPModel", 7, 3, **_TOWERS), 4)
TASKS["transformers SiglipModel"] = Row(transformer("SiglipConfig", "SiglipModel", 7, 3, **_TOWERS), 5)
TASKS["transformers LlamaModel"] = Row(transformer("LlamaConfig", "LlamaModel", 7, **_LANGUAGE), 2)
TASKS["transformers DiffLlamaModel"] = Row(
    transformer("DiffLlamaConfig", "DiffLlamaModel", 7, **_LANGUAGE), 0, {"COMBINED": 4}
)
TASKS["transformers GptOssModel"] = Row(
    transformer("GptOssConfig", "GptOssModel", 7, head_dim=8, num_local_experts=2, num_experts_per_tok=1, **_LANGUAGE),
    0, {"SINK": 2}, other_softmaxes=2,
)  # fmt: skip
TASKS["transformers NystromformerModel"] = Row(
    transformer("NystromformerConfig", "NystromformerModel", 32, segment_means_seq_len=32, num_landmarks=8,
                max_position_embeddings=40, **SMALL, **_WORDS), 0, {"COMPOSED": 6},
)  # fmt: skip


_TEXT = {**SMALL, **_WORDS, "max_position_embeddings": 40}
_SENTENCE = {"input_ids": torch.arange(6)[None], "attention_mask": torch.ones(1, 6, dtype=torch.long)}
_PHOTO = {"pixel_values": pictures(64, 64)}
_WORDS_ALONE = {"input_ids": torch.arange(6)[None]}
_BOTH = {**_PHOTO, **_SENTENCE}
_PAIR = {"pixel_values": torch.rand(1, 2, 3, 64, 64)}
_POINT = {"input_points": torch.tensor([[[[20.0, 30.0]]]])}
_FILM = {"pixel_values": torch.rand(1, 4, 3, 64, 64)}
_BIG = {**PICTURE, "patch_size": 16}
_STAGES = {"out_features": ["stage1", "stage2", "stage3", "stage4"]}
_SWIN = ("SwinConfig", {"image_size": 64, "patch_size": 4, "embed_dim": 16, "depths": [1, 1, 1, 1],
                        "num_heads": [2, 2, 4, 4], "window_size": 2, **_STAGES})  # fmt: skip
_RT = {"encoder_hidden_dim": 32, "encoder_ffn_dim": 64, "encoder_attention_heads": 4, "d_model": 32, "num_queries": 5,
       "decoder_in_channels": [32, 32, 32], "decoder_layers": 2, "decoder_ffn_dim": 64,
       "decoder_attention_heads": 4}  # fmt: skip
_PIXELS = {"hidden_dim": 32, "encoder_feedforward_dim": 64, "encoder_layers": 1, "decoder_layers": 3,
           "num_attention_heads": 4, "dim_feedforward": 64, "num_queries": 5}  # fmt: skip
_POINTS = ("SuperPointConfig", {"encoder_hidden_sizes": [8, 8, 8, 8], "decoder_hidden_size": 8, "max_keypoints": 20,
                                "descriptor_decoder_dim": 64, "keypoint_threshold": 0.0,
                                "border_removal_distance": 0})  # fmt: skip
_SAM = {"image_size": 64, "patch_size": 8, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
        "window_size": 4, "global_attn_indexes": [1], "output_channels": 32, "num_pos_feats": 16}  # fmt: skip
_PROMPT = {"hidden_size": 32, "image_size": 64, "patch_size": 8, "mask_input_channels": 4}
_MASKS = {"hidden_size": 32, "mlp_dim": 64, "num_attention_heads": 4, "iou_head_hidden_dim": 16}

TASKS["torchvision mvit_v1_b"] = Row(video("mvit_v1_b", 16, 224), 16)
TASKS["torchvision mvit_v2_s"] = Row(video("mvit_v2_s", 16, 224), 16)
TASKS["torchvision swin3d_t"] = Row(video("swin3d_t", 4, 64), 12)


def _row(model: str, config: str, given: dict[str, torch.Tensor], captured: int, **options: Any) -> None:
    """Add a row; `refused` and `others` are Row's, and whatever else a setting of the configuration."""
    refused, others = options.pop("refused", {}), options.pop("others", 0)
    TASKS[f"transformers {model}"] = Row(of_parts(config, model, given, **options), captured, refused, 0, others)


# Matching of two pictures: the softmaxes besides are those of the keypoint detector
_row("LightGlueForKeypointMatching", "LightGlueConfig", _PAIR, 4, keypoint_detector_config=_POINTS, descriptor_dim=64,
     num_hidden_layers=2, others=2)  # fmt: skip
_row("SuperGlueForKeypointMatching", "SuperGlueConfig", _PAIR, 2, keypoint_detector_config=_POINTS, hidden_size=64,
     keypoint_encoder_sizes=[16, 32], gnn_layers_types=["self", "cross"], others=2)  # fmt: skip
_row("EfficientLoFTRModel", "EfficientLoFTRConfig", {"pixel_values": torch.rand(1, 2, 3, 128, 128)}, 3,
     stage_num_blocks=[1, 1, 1, 1], out_features=[8, 8, 16, 32], hidden_size=32, num_attention_layers=1,
     num_attention_heads=4, num_key_value_heads=4,
     rope_parameters={"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 2.0})  # fmt: skip

# Masks: what is unused in SAM 2 is a softmax that its source computes and throws away
_row("SamModel", "SamConfig", {**_PHOTO, **_POINT}, 9, vision_config=_SAM, prompt_encoder_config=_PROMPT,
     mask_decoder_config=_MASKS)  # fmt: skip
_row("SamHQModel", "SamHQConfig", {**_PHOTO, **_POINT}, 9, vision_config=_SAM, prompt_encoder_config=_PROMPT,
     mask_decoder_config={**_MASKS, "vit_dim": 32})  # fmt: skip
_row("Sam2Model", "Sam2Config", {"pixel_values": pictures(256, 256), **_POINT}, 12, refused={"UNUSED": 5},
     vision_config={"backbone_config": {
         "model_type": "sam2_hiera_det_model", "hidden_size": 8, "num_attention_heads": 1, "image_size": [256, 256],
         "blocks_per_stage": [1, 1, 2, 1], "embed_dim_per_stage": [8, 16, 32, 64], "global_attention_blocks": [3],
         "num_attention_heads_per_stage": [1, 2, 4, 8], "window_size_per_stage": [8, 4, 4, 4],
         "window_positional_embedding_background_size": [7, 7]}, "backbone_channel_list": [64, 32, 16, 8],
         "backbone_feature_sizes": [[64, 64], [32, 32], [16, 16]], "fpn_hidden_size": 32},
     prompt_encoder_config={**_PROMPT, "image_size": 256, "patch_size": 16}, mask_decoder_config=_MASKS)  # fmt: skip
_row("Mask2FormerModel", "Mask2FormerConfig", _PHOTO, 8, backbone_config=_SWIN, feature_size=32, mask_feature_size=32,
     refused={"NO_SCORES": 1}, **_PIXELS)  # fmt: skip
_row("OneFormerModel", "OneFormerConfig", {**_PHOTO, "task_inputs": torch.arange(7)[None]}, 10, backbone_config=_SWIN,
     conv_dim=32, mask_dim=32, task_seq_len=7, text_encoder_width=32, text_encoder_num_layers=1,
     text_encoder_context_length=7, text_encoder_n_ctx=2, query_dec_layers=1, text_encoder_vocab_size=60,
     refused={"NO_SCORES": 1}, **_PIXELS)  # fmt: skip
_row("EomtForUniversalSegmentation", "EomtConfig", _PHOTO, 2, num_blocks=1, num_queries=5, num_labels=4, **PICTURE)
_row("CLIPSegForImageSegmentation", "CLIPSegConfig", _BOTH, 6, text_config=_TEXT, vision_config=PICTURE,
     projection_dim=32, extract_layers=[0, 1], reduce_dim=16, decoder_num_attention_heads=4,
     decoder_intermediate_size=32, conditional_layer=0)  # fmt: skip
_row("GroupViTModel", "GroupViTConfig", _BOTH, 7, text_config=_TEXT, projection_dim=16,
     projection_intermediate_dim=32, refused={"OTHER_AXIS": 2}, others=2,  # each assignment is a soft and a hard one
     vision_config={**PICTURE, "depths": [1, 1, 1], "num_group_tokens": [8, 4, 0], "num_output_groups": [8, 4, 0],
                    "num_hidden_layers": 3})  # fmt: skip

# Detectors
_row("GroundingDinoModel", "GroundingDinoConfig", _BOTH, 16, backbone_config=_SWIN, text_config=("BertConfig", _TEXT),
     refused={"NO_SCORES": 4}, **{**_DETECTOR, "backbone": None})  # fmt: skip
_row("RTDetrModel", "RTDetrConfig", _PHOTO, 3, backbone_config=("RTDetrResNetConfig", {**_RESNET, **_LEVELS}),
     encoder_in_channels=[16, 32, 32], encoder_layers=1, refused={"NO_SCORES": 2}, **_RT)  # fmt: skip
for _kind in ("ConditionalDetr", "DabDetr", "TableTransformer"):
    _row(f"{_kind}Model", f"{_kind}Config", _PHOTO, 6, backbone_config=("ResNetConfig", {**_RESNET, **_LAST}),
         **_DETECTOR, **({"hidden_size": 32} if _kind == "DabDetr" else {}))  # fmt: skip
_row("OwlViTForObjectDetection", "OwlViTConfig", _BOTH, 4, vision_config=PICTURE, projection_dim=32,
     text_config={**_TEXT, "max_position_embeddings": 6})  # fmt: skip

# Depth
_row("DPTForDepthEstimation", "DPTConfig", _PHOTO, 4, is_hybrid=True, backbone_featmap_shape=[1, 64, 4, 4],
     neck_hidden_sizes=[16, 32, 16, 16], fusion_hidden_size=16, backbone_out_indices=[0, 1, 2, 3],
     backbone_config=("BitConfig", {"global_padding": "same", "layer_type": "bottleneck", "depths": [1, 1, 1],
                                    "hidden_sizes": [16, 32, 64], "embedding_size": 8, "num_groups": 4,
                                    "out_features": ["stage1", "stage2", "stage3"]}),
     **{**_BIG, "num_hidden_layers": 4})  # fmt: skip
_row("DepthAnythingForDepthEstimation", "DepthAnythingConfig", {"pixel_values": pictures(56, 56)}, 2, patch_size=14,
     backbone_config=("Dinov2Config", {**SMALL, "image_size": 56, "patch_size": 14, "reshape_hidden_states": False,
                                       "mlp_ratio": 2, "out_features": ["stage1", "stage2"]}),
     reassemble_hidden_size=32, neck_hidden_sizes=[16, 16], fusion_hidden_size=16, head_hidden_size=8,
     reassemble_factors=[2, 1])  # fmt: skip
_row("ZoeDepthForDepthEstimation", "ZoeDepthConfig", _PHOTO, 4, neck_hidden_sizes=[16, 16, 16, 16], others=1,
     backbone_config=("BeitConfig", {**PICTURE, "num_hidden_layers": 4, "reshape_hidden_states": False,
                                     "use_relative_position_bias": True, **_STAGES}),
     fusion_hidden_size=16, bottleneck_features=16, num_relative_features=8, bin_embedding_dim=16,
     num_attractors=[4, 2, 2, 1])  # fmt: skip

# Video
_row("TimesformerModel", "TimesformerConfig", _FILM, 4, num_frames=4, **PICTURE)
_row("VideoMAEModel", "VideoMAEConfig", _FILM, 2, num_frames=4, **_BIG)
_row("VivitModel", "VivitConfig", _FILM, 2, num_frames=4, tubelet_size=[2, 16, 16], image_size=64, **SMALL)
_row("VJEPA2Model", "VJEPA2Config", {"pixel_values_videos": torch.rand(1, 4, 3, 64, 64)}, 3, crop_size=64,
     frames_per_clip=4, pred_hidden_size=32, pred_num_attention_heads=4, pred_num_hidden_layers=1,
     pred_num_mask_tokens=2, **PICTURE)  # fmt: skip

# Pictures and words
_row("Pix2StructForConditionalGeneration", "Pix2StructConfig",
     {"flattened_patches": torch.cat([torch.cartesian_prod(*[torch.arange(1.0, 4.0)] * 2), torch.rand(9, 48)], 1)[None],
      "decoder_input_ids": torch.arange(5)[None]}, 6,
     text_config={"vocab_size": 60, "hidden_size": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4},
     vision_config={"hidden_size": 32, "patch_embed_hidden_size": 48, "d_ff": 64, "d_kv": 8, "num_hidden_layers": 2,
                    "num_attention_heads": 4, "seq_len": 9, "initializer_range": 0.02})  # fmt: skip
_row("Kosmos2Model", "Kosmos2Config", {**_PHOTO, "input_ids": torch.arange(12)[None],
                                       "image_embeds_position_mask": torch.tensor([[0, 1, 1, 1, 1, *[0] * 7]])}, 5,
     text_config={"vocab_size": 60, "embed_dim": 32, "layers": 2, "ffn_dim": 64, "attention_heads": 4},
     vision_config=PICTURE, latent_query_num=4)  # fmt: skip
_row("IdeficsModel", "IdeficsConfig", {**_SENTENCE, "pixel_values": torch.rand(1, 1, 3, 64, 64),
                                       "image_attention_mask": torch.ones(1, 6, 1, dtype=torch.long)}, 8,
     vision_config={"embed_dim": 32, "image_size": 64, "intermediate_size": 64, "patch_size": 16,
                    "num_hidden_layers": 2, "num_attention_heads": 4},
     perceiver_config={"use_resampler": True, "resampler_n_latents": 4, "resampler_depth": 2, "resampler_n_heads": 2,
                       "resampler_head_dim": 8}, use_resampler=True, **SMALL, **_WORDS)  # fmt: skip
_row("ViltModel", "ViltConfig", _BOTH, 2, vocab_size=60, max_position_embeddings=40, max_image_length=-1, **_BIG)
_row("BlipForImageTextRetrieval", "BlipConfig", _BOTH, 6, projection_dim=16, vision_config=PICTURE,
     text_config={**_TEXT, "projection_dim": 16, "encoder_hidden_size": 32, "sep_token_id": 2})  # fmt: skip
_row("Blip2ForImageTextRetrieval", "Blip2Config", _BOTH, 7, vision_config=PICTURE, num_query_tokens=3,
     qformer_config={**_TEXT, "encoder_hidden_size": 32, "cross_attention_frequency": 2,
                     "use_qformer_text_input": True},
     text_config=("OPTConfig", {**SMALL, **_WORDS, "ffn_dim": 64, "word_embed_proj_dim": 32}),
     image_text_hidden_size=16)  # fmt: skip
_row("GitModel", "GitConfig", _BOTH, 4, vision_config=PICTURE, **{**_TEXT, "max_position_embeddings": 100})
_row("FlavaModel", "FlavaConfig", _BOTH, 6, image_config=PICTURE, text_config=_TEXT, multimodal_config=SMALL,
     hidden_size=32, projection_dim=16)  # fmt: skip
_row("LayoutLMv3Model", "LayoutLMv3Config", {**_BOTH, "bbox": torch.zeros(1, 6, 4, dtype=torch.long)}, 2, input_size=64,
     patch_size=16, coordinate_size=6, shape_size=4, has_spatial_attention_bias=True, **_TEXT)  # fmt: skip
_row("MgpstrForSceneTextRecognition", "MgpstrConfig", {"pixel_values": pictures(32, 64)}, 2, image_size=[32, 64],
     patch_size=8, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, max_token_length=5,
     num_character_labels=8, num_bpe_labels=9, num_wordpiece_labels=10, refused={"NO_SCORES": 3})  # fmt: skip

# Pictures as sequences, and pictures anew
_row("PerceiverForImageClassificationLearned", "PerceiverConfig", _PHOTO, 4, num_latents=6, d_latents=32,
     num_self_attends_per_block=2, num_self_attention_heads=4, num_cross_attention_heads=1, image_size=64)  # fmt: skip
_row("ImageGPTModel", "ImageGPTConfig", {"input_ids": torch.arange(16)[None]}, 2, vocab_size=60, n_positions=16,
     n_embd=32, n_layer=2, n_head=4)  # fmt: skip
_row("VitDetModel", "VitDetConfig", _PHOTO, 2, window_block_indices=[0], window_size=4,
     use_relative_position_embeddings=True, **PICTURE)  # fmt: skip
_row("PixtralVisionModel", "PixtralVisionConfig", {**_PHOTO, "image_sizes": torch.tensor([[64, 64]])}, 2, **PICTURE)
_row("Aimv2VisionModel", "Aimv2VisionConfig", _PHOTO, 3, **PICTURE)
_row("Swin2SRModel", "Swin2SRConfig", {"pixel_values": pictures(32, 32)}, 2, image_size=32, patch_size=1, embed_dim=16,
     depths=[2], num_heads=[2], window_size=4)  # fmt: skip
_row("SwiftFormerModel", "SwiftFormerConfig", _PHOTO, 0, image_size=64, refused={"SHAPE": 4})
_row("PoolFormerModel", "PoolFormerConfig", _PHOTO, 0, hidden_sizes=[8, 16, 16, 16], depths=[1, 1, 1, 1])

# No attention, but a state that is carried from token to token; every third layer of a RecurrentGemma attends
_row("RwkvModel", "RwkvConfig", _WORDS_ALONE, 0, context_length=10, attention_hidden_size=32, **SMALL, **_WORDS)
_row("MambaModel", "MambaConfig", _WORDS_ALONE, 0, state_size=8, **SMALL, **_WORDS)
_row("RecurrentGemmaModel", "RecurrentGemmaConfig", _WORDS_ALONE, 1, lru_width=32, attention_window_size=8,
     **{**SMALL, **_WORDS, "num_hidden_layers": 3})  # fmt: skip

# Keys in several parts, of which some have values of their own, and scores that are put together from diagonals
_row("BigBirdModel", "BigBirdConfig", {"input_ids": torch.arange(64)[None] % 50}, 8, block_size=4,
     num_random_blocks=1, refused={"SINK": 2}, **{**_TEXT, "max_position_embeddings": 64})  # fmt: skip
_row("LongformerModel", "LongformerConfig", {"input_ids": torch.arange(16)[None]}, 0, attention_window=4,
     refused={"NO_SCORES": 2}, **{**_TEXT, "pad_token_id": 1})  # fmt: skip
