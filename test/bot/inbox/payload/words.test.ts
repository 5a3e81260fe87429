import { describe, expect, it } from 'vitest'
import { happens, turn } from '../../../support/turn.ts'
import { ASHA, openWorld } from '../../../support/virtual-world.ts'
import { received, status } from './reading.ts'

const words = {
  kinds: new Map([
    ['photo', 'image'],
    ['picked', 'interactive'],
    ['7', 'document'],
    ['v.photo', 'image'],
    ['poll', 'poll'],
  ]),
  statuses: new Map([
    ['reached', 'delivered'],
    ['3', 'read'],
  ]),
}
const url = 'https://media.test/1'
const mapping = { customer: 'who', kind: 'sort', text: 'say', 'media.url': 'file.at', 'media.mime': 'file.mime' }
const body = (sort: unknown, more: object = {}) => ({ who: ASHA, sort, ...more })
const codes = ({ alarms }: { alarms: readonly { code: string }[] }) => alarms.map(({ code }) => code)

describe('a payload’s own word for a kind', () => {
  it('means what the option kinds says, in any case, as a number, mapped or guessed [R EVT-03]', () => {
    for (const [sort, kind] of Object.entries({
      photo: 'image',
      PHOTO: 'image',
      Picked: 'interactive',
      'v.photo': 'image',
      poll: 'poll',
    })) {
      const mapped = received(body(sort), { mapping, words })
      expect(mapped.facts.kind?.value).toBe(kind)
      expect(codes(mapped)).not.toContain('unknown_kind')
    }
    expect(received(body(7), { mapping, words }).facts.kind?.value).toBe('document')
    expect(received({ from: ASHA, message_type: 'photo', id: 'm-1' }, { words }).facts.kind?.value).toBe('image')
  })

  it('is settled by an image, audio or video type if it is unknown [R EVT-03]', () => {
    for (const [mime, kind] of Object.entries({
      'image/jpeg': 'image',
      'audio/ogg; codecs=opus': 'audio',
      'Video/mp4': 'video',
    })) {
      const view = received(body('sura', { file: { at: url, mime } }), { mapping })
      expect(view.facts).toMatchObject({ kind: { value: kind, how: 'mapped' }, media: { value: { kind } } })
      expect(codes(view)).not.toContain('unknown_kind')
    }
    const guessed = received({ from: ASHA, message_type: 'sura', media_url: url, media_mime_type: 'image/png' })
    expect(guessed.facts).toMatchObject({ kind: { value: 'image' }, media: { value: { kind: 'image' } } })
  })

  it('raises unknown_kind otherwise, also if the kind is mapped, and is kept [R EVT-03]', () => {
    for (const more of [{}, { file: { at: url, mime: 'application/pdf' } }]) {
      const view = received(body('sura', more), { mapping })
      expect(view.facts.kind?.value).toBe('sura')
      expect(view.alarms).toContainEqual({ code: 'unknown_kind', fact: 'kind', path: 'sort', word: 'sura' })
    }
  })
})

it('a payload’s own word for a status means what the option statuses says, and unknown ones raise an alarm [R EVT-04]', () => {
  const of = { customer: 'who', messageId: 'ref', status: 'state' }
  for (const [state, meant] of Object.entries({ Reached: 'delivered', 3: 'read', read: 'read' })) {
    const view = status({ who: ASHA, ref: 'z-1', state }, { mapping: of, words })
    expect(view.facts.status?.value).toBe(meant)
    expect(codes(view)).not.toContain('unknown_status')
  }
  expect(status({ to: ASHA, message_id: 'z', status: 'reached' }, { words }).facts.status?.value).toBe('delivered')
  expect(codes(status({ who: ASHA, ref: 'z-1', state: 'gone' }, { mapping: of, words }))).toContain('unknown_status')
})

it('pictures of an own word reach their route, and an unknown word is reported once [R EVT-03]', async () => {
  const seen: string[] = []
  const alarms: (string | undefined)[] = []
  await using world = await openWorld(
    (bot) => {
      bot.received('image', () => void seen.push('image'))
      bot.otherwise((ctx) => void seen.push(ctx.message.kind))
      bot.observe({ alarm: ({ reason }) => alarms.push(reason) })
    },
    { options: { facts: { 'message.received': { ...mapping, at: 'time' } }, kinds: { photo: 'image' } } },
  )
  for (const sort of ['photo', 'sura', 'sura', 'namba', 'sura'])
    await turn(world, () =>
      happens(world, 'message.received', body(sort, { id: `z-${seen.length}`, time: world.now(), file: { at: url } })),
    )
  expect(seen).toEqual(['image', 'sura', 'sura', 'namba', 'sura'])
  expect(alarms.filter((reason) => reason?.startsWith('unknown_kind'))).toEqual([
    'unknown_kind: kind',
    'unknown_kind: kind',
  ])
})
