import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { createCalendar } from '../../examples/clinic/calendar.ts'
import { createClinic } from '../../examples/clinic/clinic.ts'
import templates from '../../examples/clinic/templates.json' with { type: 'json' }
import { scenario } from '../../src/kit/testing/testing.ts'
import { besideEmulator } from './beside-emulator.ts'

const MAIN = resolve(import.meta.dirname, '../../examples/clinic/main.ts')

const opened = async () => {
  const s = await scenario(createClinic(createCalendar()), { templates, at: '2026-12-20T09:00:00Z' })
  return Object.assign(s, { asha: s.customer('255712000101') })
}

it('the clinic books over days and over a crash, and reminds the day before with a template', async () => {
  await using s = await opened()
  expect((await s.asha.says('book')).text).toBe('Which day?')
  await s.crash()
  await s.advance('20h')
  expect((await s.asha.says('on Christmas Eve')).text).toBe('Please write it as 2026-12-24.')
  expect((await s.asha.says('2026-12-24')).replies[0]?.options.map(({ id }) => id)).toContain('09:30')
  expect((await s.asha.says('Your hours?')).text).toBe('We are open from 8 to 16, Monday to Saturday.')
  expect((await s.asha.taps('09:30')).text).toBe('Photos of your papers, or NO')
  expect((await s.asha.sends('image')).text).toBe('Booked: 2026-12-24, 09:30. Papers: 1.')
  await s.advance('3d')
  expect(s.asha.last?.template).toMatchObject({ name: 'visit_reminder', body: ['2026-12-24', '09:30'] })
})

it('the clinic books nothing for a customer who cancels, or does not answer for three days', async () => {
  await using s = await opened()
  await s.asha.says('book')
  expect((await s.asha.says('Cancel')).text).toBe('Nothing is booked.')
  await s.asha.says('book')
  await s.advance('73h')
  expect(s.asha.last?.template?.name).toBe('booking_stopped')
  expect((await s.asha.says('2026-12-24')).text).toBe('Say "book" for a visit, or "hours".')
})

it('the clinic example asks one question after the other, and books the answers', async () => {
  await using clinic = await besideEmulator(MAIN)
  const { asha, last } = clinic
  await asha.says('book')
  await last('Which day?')
  await asha.says('2026-12-24')
  await last('What time?')
  await asha.taps('09:30')
  await last('Photos of your papers, or NO')
  await asha.sendsMedia({ kind: 'image', url: 'https://media.example.com/papers.jpg' })
  await last('Booked: 2026-12-24, 09:30. Papers: 1.')
})
