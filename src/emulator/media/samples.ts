import type { InboundMediaKind } from '../../contract/index.ts'

export interface MediaFile {
  readonly name: string
  readonly type: string
  readonly bytes: Buffer
}

/** A picture of 48 by 48 pixels: a chessboard. */
const PICTURE: MediaFile = {
  name: 'picture.png',
  type: 'image/png',
  bytes: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwAQMAAABtzGvEAAAABlBMVEUPdm7w/fqw5GlnAAAAFUlEQVR42mNg+A+GJFNkamMY5vYBAChSj3Ho15xKAAAAAElFTkSuQmCC',
    'base64',
  ),
}

/** One page that says "A sample document". The numbers below `xref` are the objects' offsets. */
const DOCUMENT: MediaFile = {
  name: 'document.pdf',
  type: 'application/pdf',
  bytes: Buffer.from(`%PDF-1.4
1 0 obj
<< /Type /Catalog /Pages 2 0 R >>
endobj
2 0 obj
<< /Type /Pages /Kids [3 0 R] /Count 1 >>
endobj
3 0 obj
<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>
endobj
4 0 obj
<< /Length 46 >>
stream
BT /F 14 Tf 20 50 Td (A sample document) Tj ET
endstream
endobj
5 0 obj
<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>
endobj
xref
0 6
0000000000 65535 f 
0000000009 00000 n 
0000000058 00000 n 
0000000115 00000 n 
0000000240 00000 n 
0000000336 00000 n 
trailer
<< /Size 6 /Root 1 0 R >>
startxref
406
%%EOF
`),
}

export const VOICE_MS = 500
const RATE = 8_000
const PITCH = 440

/** Half a second of a tone, as WAV: 8 bits, 8 kHz, mono. */
function tone(): Buffer {
  const samples = Buffer.alloc((RATE * VOICE_MS) / 1_000)
  for (const index of samples.keys())
    samples[index] = 128 + Math.round(60 * Math.sin((2 * Math.PI * PITCH * index) / RATE))
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(RATE, 24)
  head.writeUInt32LE(RATE, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}

const VOICE: MediaFile = { name: 'voice.wav', type: 'audio/wav', bytes: tone() }

/** The samples that go out if a customer names no file; a film would be too large to carry along. */
export const SAMPLES: Partial<Record<InboundMediaKind, MediaFile>> = {
  image: PICTURE,
  audio: VOICE,
  document: DOCUMENT,
}
