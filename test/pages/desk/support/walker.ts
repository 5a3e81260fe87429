import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { ar } from '../../../../src/pages/desk/texts/ar.ts'
import { en, type TextName, type Texts } from '../../../../src/pages/desk/texts/en.ts'
import { sw } from '../../../../src/pages/desk/texts/sw.ts'
import { LONGEST_WAIT_MS } from '../../emulator/support/tab.ts'
import { violations } from '../../emulator/support/violations.ts'
import { type Clinic, openDeskAs } from './clinic.ts'

const TEXTS: Readonly<Record<string, Texts>> = { en, sw, ar }

export const until = (holds: () => unknown) =>
  vi.waitFor(async () => expect(await holds()).toBeTruthy(), { timeout: LONGEST_WAIT_MS, interval: 20 })

export const row = (page: Page, customer: string) => page.locator('.person', { hasText: customer })
export const field = (page: Page) => page.getByLabel('Message', { exact: true })
export const bubble = (page: Page, text: string) => page.locator('.bubble', { hasText: text })
/** The newest messages count as seen after they were in sight for a second. */
export const isSeen = (page: Page) => page.locator('.lines-of-chat[data-seen="true"]').waitFor()

/** Sends a text, however often the page asks whether it still fits, or the bot is away. */
export async function writeEver(page: Page, text: string): Promise<void> {
  await field(page).fill(text)
  await until(async () => {
    if ((await field(page).inputValue()) === '') return true
    const yes = page.getByRole('button', { name: 'Yes, send it' })
    // The question may be answered already.
    if (await yes.isVisible()) await yes.click({ timeout: 1_000 }).catch(() => {})
    else await field(page).press('Enter')
    return (await field(page).inputValue()) === ''
  })
}

type Role = 'button' | 'link' | 'searchbox' | 'textbox' | 'combobox' | 'checkbox'

/** Tabs until an element has the focus. */
export async function tabTo(page: Page, name: string | RegExp, role: Role = 'button'): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: true }).first()
  await wanted.waitFor()
  for (let presses = 0; presses < 80; presses++) {
    if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`the keyboard does not reach ${name}`)
}

export async function press(page: Page, name: string | RegExp, role: Role = 'button'): Promise<void> {
  await tabTo(page, name, role)
  await page.keyboard.press('Enter')
}

/** How a person sees the desk. */
export interface View {
  readonly width: 1440 | 390
  readonly theme: 'light' | 'dark'
  readonly language: 'en' | 'ar' | 'sw'
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** A person who works by keyboard alone. `folder`: keeps a picture of each state. */
export async function openWalker(
  browser: Browser,
  clinic: Clinic,
  view: View,
  o: { readonly who?: string; readonly folder?: string | undefined } = {},
) {
  const { who = 'neema', folder } = o
  const { width, theme, language } = view
  const viewport = { width, height: width === 390 ? 844 : 900 }
  const tab = await openDeskAs(browser, clinic, who, { viewport, colorScheme: theme })
  const { page, complaints } = tab
  const t = (name: TextName, values: Readonly<Record<string, string>> = {}) =>
    (TEXTS[language] ?? en)[name].replace(/\{(\w+)\}/g, (_, key: string) => values[key] ?? '')
  const isNarrow = width === 390
  return {
    page,
    complaints,
    t,
    isNarrow,
    field: page.getByLabel(t('message'), { exact: true }),
    row: (customer: string) => row(page, customer),
    bubble: (text: string) => bubble(page, text),
    head: page.locator('.head'),
    press: (name: TextName | RegExp, role?: Role) => press(page, typeof name === 'string' ? t(name) : name, role),
    tabTo: (name: TextName | RegExp, role?: Role) => tabTo(page, typeof name === 'string' ? t(name) : name, role),
    exact: (name: TextName, values: Readonly<Record<string, string>>) => new RegExp(`^${escaped(t(name, values))}$`),
    /** A tab of a list may have a count behind its name. */
    starts: (name: TextName) => new RegExp(`^${escaped(t(name))}`),
    has: (name: TextName) => new RegExp(escaped(t(name))),
    /** An act of the open chat. On a phone it is behind a button. */
    async act(name: TextName): Promise<void> {
      if (isNarrow && name !== 'take') await press(page, t('moreActs'))
      await press(page, t(name))
    },
    async open(customer: string, text: string): Promise<void> {
      await press(page, new RegExp(customer), 'link')
      await bubble(page, text).first().waitFor()
    },
    /** To the list, which is beside the chat on a wide screen. */
    async back(): Promise<void> {
      if (isNarrow && (await page.locator('.desk:not(.no-chat)').count()) > 0) await press(page, t('back'), 'link')
    },
    async write(text: string, key = 'Enter'): Promise<void> {
      await isSeen(page)
      await tabTo(page, t('message'), 'textbox')
      await page.keyboard.type(text)
      await page.keyboard.press(key)
    },
    seen: () => isSeen(page),
    hasFocus: () => until(() => page.evaluate('document.activeElement !== document.body')),
    /** The state is accessible, fits the screen, is in its language and direction, and the browser has nothing to say. */
    async look(state: string): Promise<void> {
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
      if (folder !== undefined)
        await page.screenshot({ path: join(folder, `${state.replaceAll(' ', '-')}-${width}-${theme}-${language}.png`) })
      expect(await violations(page), state).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth'), state).toBeLessThanOrEqual(width)
      // Nothing that can be pressed is cut off, also where a part of the page would scroll.
      const cut = await page.evaluate(`[...document.querySelectorAll('button, a, select, input, textarea, summary')]
        .filter((one) => one.checkVisibility() && !one.closest('.tabs'))
        .filter((one) => one.getBoundingClientRect().left < 0 || one.getBoundingClientRect().right > innerWidth || (one.tagName === 'BUTTON' && one.scrollWidth > one.clientWidth + 1))
        .map((one) => one.textContent)`)
      expect(cut, state).toEqual([])
      const written = await page.evaluate('[document.documentElement.lang, document.documentElement.dir].join()')
      expect(written, state).toBe(`${language},${t('direction')}`)
      // A refusal has a status that Chromium writes into its console.
      const news = complaints.filter(
        (text) => !/Failed to load resource: .*(?:401|404|409|500|503|ERR_FAILED)/.test(text),
      )
      expect(news, state).toEqual([])
    },
    [Symbol.asyncDispose]: () => tab[Symbol.asyncDispose](),
  }
}
