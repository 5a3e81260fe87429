import { describe, expect, it } from 'vitest'
import { createBot } from '../../../src/bot/switchhook.ts'

const on = (event: string) => createBot().on(event as 'order.paid', () => {})

describe('the name of an event', () => {
  it.each([
    ['message', "did you mean 'message.received' or 'message.status' or 'message.sent'?"],
    ['message.recieved', "did you mean 'message.received'?"],
    ['Message.Status', "did you mean 'message.status'?"],
    ['orders.paid', "did you mean 'order.paid'?"],
    ['failed', "did you mean 'message.status:failed'?"],
    ['message.status:reed', "did you mean 'message.status:read'?"],
  ])('that resembles a known one is refused, with the known one: %s [R EVT-01]', (event, meant) => {
    expect(() => on(event)).toThrow(
      expect.objectContaining({
        code: 'options_invalid',
        message: `on(): the event "${event}" does not exist: ${meant}`,
      }),
    )
  })

  it.each(['something.new', 'order.refunded', 'shop:opened', 'message.status', 'message.status:read', 'order.paid'])(
    'that is known, or unlike all known ones, is accepted: %s [R DEL-05, R GEN-10]',
    (event) => {
      expect(on(event)).toBeDefined()
    },
  )
})

describe('the kind of a message', () => {
  it.each([
    ['imagee', 'received(): the kind "imagee" does not exist: did you mean \'image\'?'],
    ['Image', "did you mean 'image'?"],
  ])('is refused if it resembles a known one: %s', (kind, message) => {
    const received = () => createBot().received(kind as 'image', () => {})
    expect(received).toThrow(
      expect.objectContaining({ code: 'options_invalid', message: expect.stringContaining(message) }),
    )
  })
})
