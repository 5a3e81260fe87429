import { routes } from 'switchhook'
import type { OpeningHours } from 'switchhook/comfort'
import type { localized } from '../base.ts'

/** Opening hours in the local time of this zone. */
export const HOURS: OpeningHours = {
  zone: 'Africa/Dar_es_Salaam',
  mon: '9:00-17:00',
  tue: '9:00-17:00',
  wed: '9:00-17:00',
  thu: '9:00-17:00',
  fri: '9:00-17:00',
  sat: '9:00-13:00',
  holidays: ['2026-12-25', '2027-01-01'],
}

export const hours = routes<typeof localized>('hours')

hours.hears(['hours', 'saa'], (ctx) => ctx.reply(ctx.t.open))
hours.tapped('hours', (ctx) => ctx.reply(ctx.t.open))
