import { expect, it } from 'vitest'
import { template } from '../../src/service/template.ts'
import { wireOf } from '../../src/service/wire.ts'
import { refused, refusedSend } from './refused.ts'

const TO = '255712345678'
const IMAGE = 'https://cdn.example.com/a.jpg'
const componentsOf = (...params: Parameters<typeof template>) => wireOf(template(...params), TO)['template_components']

it('names template and language, and has no components if nothing is filled in [C SEND-11]', () => {
  expect(wireOf(template('hello', 'en_US'), TO)).toEqual({
    to: TO,
    type: 'template',
    template_name: 'hello',
    template_language: 'en_US',
  })
})

it('sends the language unchanged, because there is no fallback [C SEND-11]', () => {
  expect(wireOf(template('hello', 'en-us'), TO)['template_language']).toBe('en-us')
  expect(refusedSend(template('hello', ''))).toContain('template_language: is required')
  expect(refusedSend(template(' ', 'en'))).toContain('template_name: is required')
})

it('fills header and body in order, each counted separately [C SEND-12, C SEND-13]', () => {
  expect(componentsOf('order', 'sw', { header: 'Asha', body: ['7781', 'imefika'] })).toEqual([
    { type: 'header', parameters: [{ type: 'text', text: 'Asha' }] },
    {
      type: 'body',
      parameters: [
        { type: 'text', text: '7781' },
        { type: 'text', text: 'imefika' },
      ],
    },
  ])
})

it('puts a medium under its kind’s key, with a filename only for a document [C SEND-12]', () => {
  expect(componentsOf('t', 'sw', { header: { image: IMAGE } })).toEqual([
    { type: 'header', parameters: [{ type: 'image', image: { link: IMAGE } }] },
  ])
  expect(componentsOf('t', 'sw', { header: { video: IMAGE } })).toEqual([
    { type: 'header', parameters: [{ type: 'video', video: { link: IMAGE } }] },
  ])
  expect(componentsOf('t', 'sw', { header: { document: IMAGE, filename: '7781.pdf' } })).toEqual([
    { type: 'header', parameters: [{ type: 'document', document: { link: IMAGE, filename: '7781.pdf' } }] },
  ])
  const odd = { image: IMAGE, filename: 'a.jpg' } as never
  expect(refused(() => template('t', 'sw', { header: odd }))).toContain('"filename" is unknown')
  for (const kind of ['image', 'video', 'document'])
    expect(refused(() => template('t', 'sw', { header: { [kind]: 'http://cdn.example.com/a' } as never }))).toContain(
      `header.${kind} must be a full https address`,
    )
})

it('gives buttons their position as a string, and skips static ones [C SEND-12]', () => {
  expect(componentsOf('t', 'sw', { buttons: ['orders/7781', null, { payload: 'stop' }, { url: 'x' }] })).toEqual([
    { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'orders/7781' }] },
    { type: 'button', sub_type: 'quick_reply', index: '2', parameters: [{ type: 'payload', payload: 'stop' }] },
    { type: 'button', sub_type: 'url', index: '3', parameters: [{ type: 'text', text: 'x' }] },
  ])
})

it('refuses parameters that are not strings, or that no component has [C SEND-12]', () => {
  expect(refused(() => template('t', 'sw', { body: [7781] as never }))).toContain(
    'body[0] must be a string, got number',
  )
  expect(refused(() => template('t', 'sw', { body: 'x' as never }))).toContain('body must be an array, got string')
  expect(refused(() => template('t', 'sw', { footer: ['x'] } as never))).toContain('"footer" is unknown')
  expect(refused(() => template('t', 'sw', { buttons: [7] as never }))).toContain('buttons[0]')
  expect(refused(() => template('t', 'sw', { buttons: [{ url: 'a', payload: 'b' }] as never }))).toContain('buttons[0]')
})
