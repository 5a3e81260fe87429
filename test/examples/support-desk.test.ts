import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { besideEmulator } from './beside-emulator.ts'

const OFFICE = resolve(import.meta.dirname, '../../examples/support-desk/office.ts')
const ASHA = '255712000101'
// A Wednesday in Dar es Salaam.
const NOON = new Date('2026-03-04T12:00:00+03:00')

it('the support-desk example replies in the customer’s language, hands her over and back, and obeys STOP', async () => {
  await using desk = await besideEmulator(OFFICE, { now: NOON })
  const { asha, last, url } = desk
  const news = async (id: string) => {
    const response = await fetch(`${url}/office/news`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, customer: ASHA, text: `News ${id}` }),
    })
    return response.json()
  }
  /** She is handled one message at a time: when this one is answered, what the last one changed is stored. */
  const settled = async () => {
    await asha.taps('hours')
    await last('We are open Monday to Friday from 9 to 17, Saturday from 9 to 13.')
  }

  await asha.says('habari')
  await last('Tukusaidie nini?')
  await asha.taps('lang:en')
  await last('How can we help?')
  await asha.taps('hours')
  await last('We are open Monday to Friday from 9 to 17, Saturday from 9 to 13.')

  await asha.says('PERSON')
  await last('Somebody will answer you here. Say "menu" to come back.')
  await asha.says('my shoes are too small')
  await asha.says('Menu')
  await last('How can we help?')
  expect(await desk.texts()).toHaveLength(5)

  await asha.taps('person')
  await last('Somebody will answer you here. Say "menu" to come back.')
  const back = await fetch(`${url}/office/customers/${ASHA}/back`, { method: 'POST' })
  expect(back.status).toBe(204)
  await asha.says('thanks')
  await last('How can we help?')

  expect(await news('n1')).toEqual({ via: 'freeform' })
  await asha.says('stop')
  await last('You get no more news. START brings them back.')
  await settled()
  expect(await news('n2')).toEqual({ via: 'skipped', why: 'opted_out' })
  await asha.says('Start')
  await last('You get our news again.')
  await settled()
  expect(await news('n3')).toEqual({ via: 'freeform' })
  expect((await desk.texts()).filter((text) => text?.startsWith('News'))).toEqual(['News n1', 'News n3'])

  await desk.emulator.clock.advance('6h')
  await asha.taps('person')
  await last('Nobody is here now. We are open from 9 in the morning.')
})
