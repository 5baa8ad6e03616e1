//! The gzip file format (RFC 1952), written; DEFLATE itself is of `miniz_oxide`.

use miniz_oxide::deflate::compress_to_vec;

/// The header of each file: magic number, DEFLATE, a comment (flag bit 4), no time, an unknown
/// system, and the comment. So the same content is the same file, and says who made it.
pub(super) const HEADER: &[u8] = b"\x1f\x8b\x08\x10\0\0\0\0\0\xffearlydrop\0";

/// How hard to search for repetitions, 0 to 10; 6 is gzip's default.
const LEVEL: u8 = 6;

/// A file of `content`.
pub(super) fn compress(content: &[u8]) -> Vec<u8> {
    let mut file = HEADER.to_vec();
    file.extend(compress_to_vec(content, LEVEL));
    file.extend(crc32(content).to_le_bytes());
    // The length modulo 2^32 (RFC 1952, section 2.3.1, ISIZE).
    file.extend((content.len() as u32).to_le_bytes());
    file
}

/// The CRC-32 of RFC 1952, section 8: polynomial 0xedb88320, bits reversed.
fn crc32(content: &[u8]) -> u32 {
    let table: [u32; 256] = std::array::from_fn(|byte| {
        (0..8).fold(byte as u32, |crc, _| match crc & 1 {
            1 => 0xedb8_8320 ^ (crc >> 1),
            _ => crc >> 1,
        })
    });
    !content.iter().fold(u32::MAX, |crc, byte| {
        table[usize::from(crc as u8 ^ byte)] ^ (crc >> 8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use miniz_oxide::inflate::decompress_to_vec;

    #[test]
    fn the_checksum_is_that_of_the_catalogue() {
        // The check value of CRC-32/ISO-HDLC.
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn a_file_is_header_deflate_checksum_and_length() {
        let content = b"earlydrop ".repeat(1000);
        let file = compress(&content);
        let (deflated, trailer) = file[HEADER.len()..].split_at(file.len() - HEADER.len() - 8);
        assert_eq!(decompress_to_vec(deflated).unwrap(), content);
        assert_eq!(trailer[..4], crc32(&content).to_le_bytes());
        assert_eq!(trailer[4..], 10_000_u32.to_le_bytes());
    }
}
