import { styleText } from 'node:util'
import { whenReaderGoes } from '../reader-gone.ts'
import { type Arrow, createArrows, type Tone } from './arrows.ts'
import type { Happened } from './stream.ts'

/** What is shown of all that happens: lines for people, objects for programs, or nothing but what the app says. */
export const OUTPUTS = ['pretty', 'json', 'quiet'] as const
export type Output = (typeof OUTPUTS)[number]

const COLOURS: Readonly<Record<Tone, 'cyan' | 'green' | 'red' | 'dim'>> = {
  out: 'cyan',
  in: 'green',
  bad: 'red',
  note: 'dim',
}

/** Hears what happens, and shows it as is asked for. */
export function shower(output: Output, print: (line: string) => void): (happened: Happened) => void {
  if (output === 'json') return (happened) => void process.stdout.write(`${JSON.stringify(happened)}\n`)
  if (output === 'quiet') return () => undefined
  const arrowOf = createArrows()
  return (happened) => {
    const arrow = arrowOf(happened)
    if (arrow !== undefined) print(lineFor(arrow, new Date()))
  }
}

function lineFor({ tone, words }: Arrow, at: Date): string {
  // Coloured on a terminal, or as NO_COLOR and FORCE_COLOR say.
  return styleText(COLOURS[tone], `${at.toTimeString().slice(0, 8)} ${words}`, { stream: process.stderr })
}

/** A program that reads along and goes ends the run in good order. */
export function endWithReaderOf(output: Output, stop: () => void): void {
  if (output === 'json') whenReaderGoes(stop)
}
