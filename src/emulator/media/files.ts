import { randomBytes } from 'node:crypto'
import { extname } from 'node:path'
import type { InboundMediaKind } from '../../contract/index.ts'
import { type HttpAnswer, type HttpRequest, refuse } from '../http/messages.ts'
import { type MediaFile, SAMPLES, VOICE_MS } from './samples.ts'

const PREFIX = '/media/'

/** The files that customers send, at addresses of this machine that `downloadMedia` fetches from. */
export interface MediaFiles {
  /** To be called when the emulator listens: its address begins those of the files. */
  listensAt(url: string): void
  /** Keeps a file in memory, until many newer ones have come; answers what a message says of it. */
  keep(name: string, bytes: Buffer): SentFile
  sample(kind: InboundMediaKind): SentFile
  /** Answers with a file; undefined if the path is none of a file. */
  answer(request: HttpRequest): HttpAnswer | undefined
}

/** A file as the message of its sender tells of it. */
interface SentFile {
  readonly kind: InboundMediaKind
  readonly url: string
  readonly mime: string
  readonly filename?: string
  readonly durationMs?: number
}

const KEPT_FILES = 100

export function createMediaFiles(): MediaFiles {
  const files = new Map<string, MediaFile>()
  for (const sample of Object.values(SAMPLES)) files.set(pathOf('sample', sample.name), sample)
  let base: string | undefined

  const sent = (path: string, { name, type }: MediaFile): SentFile => {
    if (base === undefined)
      throw refuse(409, 'no_address', 'An emulator without an address serves no files: media need url.')
    const kind = kindOf(type)
    return { kind, url: base + path, mime: type, ...(kind === 'document' && { filename: name }) }
  }

  return {
    listensAt(url) {
      base = url
    },
    keep(name, bytes) {
      const file = { name, type: typeOf(name), bytes }
      const path = pathOf(randomBytes(9).toString('base64url'), name)
      const about = sent(path, file)
      files.set(path, file)
      const [oldest] = [...files.keys()].filter((one) => !one.startsWith(pathOf('sample', '')))
      if (files.size > KEPT_FILES && oldest !== undefined) files.delete(oldest)
      return about
    },
    sample(kind) {
      const file = SAMPLES[kind]
      if (file === undefined)
        throw refuse(400, 'invalid_request', `There is no sample of the kind ${kind}: media need url.`)
      return { ...sent(pathOf('sample', file.name), file), ...(kind === 'audio' && { durationMs: VOICE_MS }) }
    },
    answer({ method, path }) {
      if (!path.startsWith(PREFIX)) return undefined
      if (method !== 'GET' && method !== 'HEAD')
        throw refuse(405, 'method_not_allowed', 'The method must be GET.', { Allow: 'GET, HEAD' })
      const file = files.get(path)
      if (file === undefined)
        throw refuse(404, 'not_found', 'There is no such file: they are kept until the emulator ends.')
      return { status: 200, body: '', bytes: file.bytes, headers: headersOf(file) }
    },
  }
}

function pathOf(id: string, name: string): string {
  return `${PREFIX}${id}/${encodeURIComponent(name)}`
}

/** A file is shown and never run: at this address a script could use the control API. */
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
