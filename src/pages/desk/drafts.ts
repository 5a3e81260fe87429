import type { DeskAct } from '../../features/people/desk/desk-api.ts'

export type Media = NonNullable<Extract<DeskAct, { act: 'write' }>['media']>

/** A message that a person has begun to write. It survives a reload. Because of its key, it is sent only once. */
export interface Draft {
  readonly text: string
  readonly key: string
  /** The name of the ready answer, if the text is one and nobody has changed it. */
  readonly snippet?: string
  readonly media?: Pick<Media, 'kind' | 'url' | 'name'>
}

const OWNER = 'switchhook desk owner'
const PREFIX = 'switchhook desk draft '

/** `crypto.randomUUID` is absent on a page without https. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
}

export function emptyDraft(): Draft {
  return { text: '', key: newKey() }
}

export function draftOf(id: string): Draft {
  try {
    const kept = JSON.parse(sessionStorage.getItem(PREFIX + id) ?? '') as Draft
    if (typeof kept.text === 'string' && typeof kept.key === 'string') return kept
  } catch {
    // There is no draft, or another version of this page has written it.
  }
  return emptyDraft()
}

export function keepDraft(id: string, draft: Draft): void {
  if (draft.text === '' && draft.media === undefined) sessionStorage.removeItem(PREFIX + id)
  else sessionStorage.setItem(PREFIX + id, JSON.stringify(draft))
}

/** The next person at this computer must not find the drafts of the previous one. */
export function removeOthersDrafts(who: string): void {
  if (sessionStorage.getItem(OWNER) !== who) removeDrafts()
  sessionStorage.setItem(OWNER, who)
}

export function removeDrafts(): void {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(PREFIX)) sessionStorage.removeItem(name)
}
