import { ask, NotAnswered, OWN_HEADER, posted } from '../ui/ask.ts'
import { REFUSED, t } from './words.ts'

export const post = <T>(path: string, body: unknown, init?: RequestInit) => ask<T>(path, { ...posted(body), ...init })

/** Resolves with the file's public address. */
export async function upload(file: File): Promise<string> {
  const query = new URLSearchParams({ name: file.name, type: file.type })
  const init = { method: 'POST', headers: OWN_HEADER, body: file }
  return (await ask<{ url: string }>(`api/upload?${query}`, init)).url
}

/** The text of an error in the language of the desk. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof NotAnswered)) return t('refused_failed')
  return error.code === undefined ? t('unreachable') : t(REFUSED[error.code])
}

/** True if the server refused the request, with this code or with any. */
export function isRefused(error: unknown, code?: NotAnswered['code']): error is NotAnswered {
  return error instanceof NotAnswered && error.code !== undefined && (code ?? error.code) === error.code
}
