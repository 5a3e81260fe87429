import { codePoints } from './endpoints.ts'
import { isUnseen } from './unseen.ts'

/** The most parts of one text. A text that needs more is a mistake, and would flood a phone. */
export const MOST_PARTS = 20

// The rules are English, because every machine has them: so all processes cut a text into the same parts.
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })
const words = new Intl.Segmenter('en', { granularity: 'word' })

/** Matches a link. A link ends at a blank, or where a script without blanks begins. */
const LINK =
  /(?:[a-z][a-z\d+.-]*:\/\/|www\.|mailto:|(?:[a-z\d-]+\.)+[a-z]{2,}\/)[^\s\u3000-\u303f\uff00-\uffef\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+/giu
const PARAGRAPH = /\r?\n[^\S\n]*\n/g
const LINE = /\r?\n/g
/** A blank that no combining mark follows. */
const BLANK = /\s(?![\p{M}\u200d])/gu
/** How far a cut looks beyond the longest part: enough for an emoji at its end, or for the blank behind a sentence. */
const AHEAD = 64

/**
 * Cuts a text into messages of at most `max` characters: at paragraphs, else at lines, sentences, words. A cut is never
 * inside what the reader sees as one character, nor inside a link, unless that alone is longer than a message. Blanks
 * at a cut are left out.
 */
export function splitText(text: string, max: number): readonly string[] {
  if (codePoints(text) <= max) return [text]
  const parts: string[] = []
  let rest = text
  while (codePoints(rest) > max) {
    const cut = cutIn(rest, max)
    parts.push(rest.slice(0, cut).trimEnd())
    // The indentation of the next line stays.
    rest = rest.slice(cut).replace(/^\s*\n|^\s+/u, '')
  }
  return [...parts, rest.trimEnd()].filter((part) => part !== '' && !isUnseen(part))
}

/** Cuts a label to `max` characters, with an ellipsis as the last, and never inside what the reader sees as one. */
export function withEllipsis(text: string, max: number): string {
  if (codePoints(text) <= max) return text
  const end = lengthOf(text, max - 1)
  const cut = boundariesIn(graphemes, text, end).at(-1) ?? end
  return `${text.slice(0, cut).trimEnd()}…`
}

function cutIn(text: string, max: number): number {
  const end = lengthOf(text, max)
  const ahead = text.slice(0, end + AHEAD)
  const whole = new Set(boundariesIn(graphemes, ahead, end))
  const links = [...ahead.matchAll(LINK)].map((link) => ({ from: link.index, to: link.index + link[0].length }))
  const fits = (at: number) => at > 0 && whole.has(at) && links.every(({ from, to }) => at <= from || at >= to)
  const starts = (form: RegExp) => [...ahead.matchAll(form)].map(({ index }) => index).filter((at) => at <= end)
  // A message is at least half full if it ends at a paragraph, line or sentence. Otherwise more messages are needed.
  const least = end / 2
  const ends = boundariesIn(sentences, ahead, end).filter((at) => /[\s。！？]/u.test(ahead[at - 1] ?? ''))
  for (const cuts of [starts(PARAGRAPH), starts(LINE), ends]) {
    const cut = cuts.findLast((at) => at >= least && fits(at))
    if (cut !== undefined) return cut
  }
  for (const cuts of [starts(BLANK), boundariesIn(words, ahead, end), [...whole]]) {
    const cut = cuts.findLast(fits)
    if (cut !== undefined) return cut
  }
  // No cut is good: a link, or a character with thousands of combining marks, is longer than a message.
  return [...whole].findLast((at) => at > 0) ?? end
}

/** The length of the first `characters` code points, in UTF-16 units. */
function lengthOf(text: string, characters: number): number {
  let length = 0
  let count = 0
  for (const character of text) {
    if (count++ === characters) break
    length += character.length
  }
  return length
}

function boundariesIn(segmenter: Intl.Segmenter, text: string, end: number): number[] {
  const found: number[] = []
  for (const { index, segment } of segmenter.segment(text)) {
    const at = index + segment.length
    if (at > end) break
    found.push(at)
  }
  return found
}
