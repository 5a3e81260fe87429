import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { draftOf, removeDrafts, removeOthersDrafts, keepDraft, newKey } from '../../../src/pages/desk/drafts.ts'

/** A storage whose keys are its own, as the browser's. */
class Kept {
  [name: string]: unknown
  getItem(name: string) {
    return (this[name] as string | undefined) ?? null
  }
  setItem(name: string, value: string) {
    this[name] = value
  }
  removeItem(name: string) {
    delete this[name]
  }
}

beforeEach(() => void vi.stubGlobal('sessionStorage', new Kept()))
afterEach(() => void vi.unstubAllGlobals())

it('a draft survives a reload with the key of its message, so that sending it again is sending it once', () => {
  const draft = { text: 'Come at five.', key: newKey(), media: { kind: 'image', url: 'https://a.test/b' } } as const
  keepDraft('asha', draft)
  expect(draftOf('asha')).toEqual(draft)
  expect(draftOf('juma').text).toBe('')
  expect(draft.key).toMatch(/^[\w-]{8,100}$/)
})

it('drafts are gone at sign-out, and for the next person at this computer; the app’s own storage is not', () => {
  sessionStorage.setItem('of the app', 'kept')
  const keep = () => keepDraft('asha', { text: 'Come at five.', key: newKey() })
  removeOthersDrafts('neema')
  keep()
  removeOthersDrafts('neema')
  expect(draftOf('asha').text).toBe('Come at five.')
  removeOthersDrafts('baraka')
  expect(draftOf('asha').text).toBe('')
  keep()
  removeDrafts()
  expect(draftOf('asha').text).toBe('')
  expect(sessionStorage.getItem('of the app')).toBe('kept')
})

it('a damaged draft is an empty one', () => {
  sessionStorage.setItem('switchhook desk draft asha', '{"text":7}')
  expect(draftOf('asha')).toMatchObject({ text: '' })
})
