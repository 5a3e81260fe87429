import { randomBytes } from 'node:crypto'
import { extname } from 'node:path'
import type { InboundMediaKind } from '../../service/message-kinds.ts'
import { type HttpAnswer, type HttpRequest, refuse } from '../http/messages.ts'

const PREFIX = '/media/'

export interface SentFile {
  readonly kind: InboundMediaKind
  readonly url: string
  readonly mime: string
  readonly filename?: string
}

const KEPT_FILES = 100

export function createMediaFiles() {
  const files = new Map<string, MediaFile>()
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
    /** Keeps the latest 100 files in memory. Returns what a message says about the file. */
    keep(name: string, bytes: Buffer): SentFile {
      const file = { name, type: TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream', bytes }
      const path = `${PREFIX}${randomBytes(9).toString('base64url')}/${encodeURIComponent(name)}`
      const about = sent(path, file)
      files.set(path, file)
      const [oldest = ''] = files.keys()
      if (files.size > KEPT_FILES) files.delete(oldest)
      return about
    },
    answer({ method, path }: HttpRequest): HttpAnswer | undefined {
      if (!path.startsWith(PREFIX)) return undefined
      if (method !== 'GET' && method !== 'HEAD')
        throw refuse(405, 'method_not_allowed', 'The method must be GET.', { Allow: 'GET, HEAD' })
      const file = files.get(path)
      if (file === undefined)
        throw refuse(
          404,
          'not_found',
          `This file does not exist: the emulator keeps the latest ${KEPT_FILES} files until it ends.`,
        )
      return { status: 200, body: '', bytes: file.bytes, headers: headersOf(file) }
    },
  }
}

/** Lets a browser show a file but run no script in it, which could use the control API. */
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

function kindOf(type: string): InboundMediaKind {
  const [family = ''] = type.split('/')
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document'
}

export interface MediaFile {
  readonly name: string
  readonly type: string
  readonly bytes: Buffer
}
