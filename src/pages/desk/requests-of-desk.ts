import { signal } from '@preact/signals'
import type { DeskAct, DeskDone } from '../../features/people/desk/desk-api.ts'
import { ask, NotAnswered, OWN_HEADER, posted } from '../ui/ask.ts'
import { forgetDrafts } from './drafts.ts'
import { REFUSED, t } from './words.ts'

/** The session has ended. Nothing that was shown stays on the screen, and no draft on the computer. */
export const isSignedOut = signal(false)

export function signOut(): void {
  forgetDrafts()
  isSignedOut.value = true
}

async function askSignedIn<T>(path: string, init?: RequestInit): Promise<T> {
  try {
    return await ask<T>(path, init)
  } catch (error) {
    if (error instanceof NotAnswered && error.code === 'unauthorized') signOut()
    throw error
  }
}

export const read = <T>(path: string) => askSignedIn<T>(path)
export const post = <T>(path: string, body: unknown, init?: RequestInit) =>
  askSignedIn<T>(path, { ...posted(body), ...init })
export const act = (asked: DeskAct) => post<DeskDone>('api/act', asked)

/** Stores a file, and resolves with its public address. */
export async function upload(file: File): Promise<string> {
  const query = new URLSearchParams({ name: file.name, type: file.type })
  const init = { method: 'POST', headers: OWN_HEADER, body: file }
  return (await askSignedIn<{ url: string }>(`api/upload?${query}`, init)).url
}

/** Returns an error's text in the language of the desk. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof NotAnswered)) return t('refused_failed')
  return error.code === undefined ? t('unreachable') : t(REFUSED[error.code])
}

/** Returns true if the server refused the request, with this code or with any. */
export function isRefused(error: unknown, code?: NotAnswered['code']): error is NotAnswered {
  return error instanceof NotAnswered && error.code !== undefined && (code ?? error.code) === error.code
}
