import { describe, expect, it } from 'vitest'
import { linkTo, parsePlace } from '../../src/pages/admin/place.ts'

describe('an address of the admin page', () => {
  it.each([
    ['', 'overview', undefined],
    ['#/', 'overview', undefined],
    ['#/deliveries', 'deliveries', undefined],
    ['#/deliveries/12', 'deliveries', '12'],
    ['#/sends/a%2Fb%3Fc', 'sends', 'a/b?c'],
    ['#/sends/%E0%A4%A', 'sends', '%E0%A4%A'],
    ['#/nowhere/12', 'overview', '12'],
  ] as const)('%j names a view and one item of it', (hash, view, id) => {
    expect(parsePlace(hash)).toMatchObject({ view, id })
  })

  it('has the filters of a list as the server accepts them', () => {
    const { filters } = parsePlace('#/deliveries?state=dead&event=message.received')
    expect(Object.fromEntries(filters)).toEqual({ state: 'dead', event: 'message.received' })
  })

  it('leads back to its origin, whatever characters an id contains', () => {
    const id = 'a/b?c=d#e %f'
    expect(parsePlace(linkTo('sends', { id }))).toMatchObject({ view: 'sends', id })
    expect(parsePlace(linkTo('deliveries', { filters: { state: 'dead' } })).filters.get('state')).toBe('dead')
  })
})
