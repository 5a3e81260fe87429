import { mkdirSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { describe } from 'vitest'
import { describeInBrowser } from '../../emulator/support/browser.ts'
import type { Clinic } from '../support/clinic.ts'
import { openWalker, type View } from '../support/walker.ts'

const ALL: readonly View[] = [
  { width: 1440, theme: 'light', language: 'en' },
  { width: 1440, theme: 'dark', language: 'en' },
  { width: 390, theme: 'light', language: 'en' },
  { width: 390, theme: 'dark', language: 'en' },
  { width: 1440, theme: 'light', language: 'ar' },
  { width: 390, theme: 'dark', language: 'ar' },
  { width: 390, theme: 'light', language: 'sw' },
]

/** `npm run walks` asks for all. */
const VIEWS = process.env['SWITCHHOOK_VIEWS'] === 'all' ? ALL : ALL.slice(0, 1)

/** A folder for a picture of each state; none by default. */
const folder = process.env['SWITCHHOOK_PICTURES']
if (folder !== undefined) mkdirSync(folder, { recursive: true })

/** Walks that are made once in each view. */
export function describeInViews(
  what: string,
  walks: (view: View, walk: (clinic: Clinic, who?: string) => ReturnType<typeof openWalker>) => void,
): void {
  describeInBrowser(what, (browser: () => Browser) => {
    describe.each(VIEWS)('at $width px, $theme, $language', (view) => {
      walks(view, (clinic, who) => openWalker(browser(), clinic, view, { folder, ...(who !== undefined && { who }) }))
    })
  })
}
