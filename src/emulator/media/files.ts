import { randomBytes } from 'node:crypto'
import { extname } from 'node:path'
import type { InboundMediaKind } from '../../service/contract.ts'
import { type HttpAnswer, type HttpRequest, refuse } from '../http/messages.ts'

const PREFIX = '/media/'

export type MediaFiles = ReturnType<typeof createMediaFiles>

export interface SentFile {
  readonly kind: InboundMediaKind
  readonly url: string
  readonly mime: string
  readonly filename?: string
  readonly durationMs?: number
}

const KEPT_FILES = 100

export function createMediaFiles() {
  const files = new Map<string, MediaFile>()
  for (const sample of Object.values(SAMPLES)) files.set(pathOf('sample', sample.name), sample)
  let base: string | undefined

  const sent = (path: string, { name, type }: MediaFile): SentFile => {
    if (base === undefined)
      throw refuse(409, 'no_address', 'An emulator without an address cannot serve files: media need url.')
    const kind = kindOf(type)
    return { kind, url: base + path, mime: type, ...(kind === 'document' && { filename: name }) }
  }

  return {
    listensAt(url: string): void {
      base = url
    },
    /** Keeps a file in memory until many newer files replace it. Returns its description for a message. */
    keep(name: string, bytes: Buffer): SentFile {
      const file = { name, type: typeOf(name), bytes }
      const path = pathOf(randomBytes(9).toString('base64url'), name)
      const about = sent(path, file)
      files.set(path, file)
      const [oldest] = [...files.keys()].filter((one) => !one.startsWith(pathOf('sample', '')))
      if (files.size > KEPT_FILES && oldest !== undefined) files.delete(oldest)
      return about
    },
    sample(kind: InboundMediaKind): SentFile {
      const file = SAMPLES[kind]
      if (file === undefined)
        throw refuse(400, 'invalid_request', `The emulator has no sample of the kind ${kind}: media need url.`)
      return { ...sent(pathOf('sample', file.name), file), ...(kind === 'audio' && { durationMs: VOICE_MS }) }
    },
    answer({ method, path }: HttpRequest): HttpAnswer | undefined {
      if (!path.startsWith(PREFIX)) return undefined
      if (method !== 'GET' && method !== 'HEAD')
        throw refuse(405, 'method_not_allowed', 'The method must be GET.', { Allow: 'GET, HEAD' })
      const file = files.get(path)
      if (file === undefined)
        throw refuse(404, 'not_found', 'This file does not exist: files are kept until the emulator ends.')
      return { status: 200, body: '', bytes: file.bytes, headers: headersOf(file) }
    },
  }
}

function pathOf(id: string, name: string): string {
  return `${PREFIX}${id}/${encodeURIComponent(name)}`
}

/** The browser shows a file but never runs it: at this address a script could use the control API. */
function headersOf({ type }: MediaFile): Record<string, string> {
  return {
    'Content-Type': type,
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Content-Type-Options': 'nosniff',
  }
}

const TYPES: Readonly<Record<string, string>> = {
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.aac': 'audio/aac',
  '.amr': 'audio/amr',
  '.m4a': 'audio/mp4',
  '.mp3': 'audio/mpeg',
  '.ogg': 'audio/ogg',
  '.opus': 'audio/ogg',
  '.wav': 'audio/wav',
  '.3gp': 'video/3gpp',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
}

function typeOf(name: string): string {
  return TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream'
}

function kindOf(type: string): InboundMediaKind {
  const [family = ''] = type.split('/')
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document'
}

export interface MediaFile {
  readonly name: string
  readonly type: string
  readonly bytes: Buffer
}

const PICTURE: MediaFile = {
  name: 'picture.png',
  type: 'image/png',
  bytes: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwAQMAAABtzGvEAAAABlBMVEUPdm7w/fqw5GlnAAAAFUlEQVR42mNg+A+GJFNkamMY5vYBAChSj3Ho15xKAAAAAElFTkSuQmCC',
    'base64',
  ),
}

/** One page with the text "A sample document". The numbers below `xref` are the objects' offsets. */
const DOCUMENT: MediaFile = {
  name: 'document.pdf',
  type: 'application/pdf',
  bytes: Buffer.from(`%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >> endobj
4 0 obj << /Length 46 >>
stream
BT /F 14 Tf 20 50 Td (A sample document) Tj ET
endstream endobj
5 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj
xref
0 6
0000000000 65535 f 
0000000009 00000 n 
0000000058 00000 n 
0000000115 00000 n 
0000000240 00000 n 
0000000336 00000 n 
trailer << /Size 6 /Root 1 0 R >>
startxref
406
%%EOF
`),
}

const VOICE_MS = 500

/** Half a second of a tone, as WAV: 8 bits, 8 kHz, mono. The head names the lengths of 4,036 and 4,000 bytes. */
const VOICE: MediaFile = {
  name: 'voice.wav',
  type: 'audio/wav',
  bytes: Buffer.concat([
    Buffer.from('UklGRsQPAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YaAPAAA=', 'base64'),
    Buffer.alloc(8 * VOICE_MS, Buffer.from([128, 165, 185, 185, 165, 128, 91, 71, 71, 91])),
  ]),
}

/** Used if a customer names no file. A video would be too large to include. */
const SAMPLES: Partial<Record<InboundMediaKind, MediaFile>> = {
  image: PICTURE,
  audio: VOICE,
  document: DOCUMENT,
}
