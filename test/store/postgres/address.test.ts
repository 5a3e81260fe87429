import { expect, it } from 'vitest'
import { isPostgres, shownDatabase } from '../../../src/store/postgres/pool.ts'

it.each(['postgres://u:pw@h/db', 'POSTGRES://u:pw@h/db', 'PostgreSQL://u:pw@h/db'])('%s is PostgreSQL', (address) => {
  expect(isPostgres(address)).toBe(true)
  expect(shownDatabase(address)).toMatch(/^postgres(ql)?:\/\/h\/db$/)
})

it.each(['./bot.db', ':memory:', '/var/lib/bot.db', 'C:/bot.db', 'a:b.db'])('%s is a file', (file) => {
  expect(isPostgres(file)).toBe(false)
  expect(shownDatabase(file)).toBe(file)
})

it.each([' postgres://u:pw@h/db', 'mysql://u:pw@h/db', 'postgres:/u:pw@h/db', 'postgress://u:pw@h/db', 'file:/x'])(
  '%s is an error, in which no password is repeated',
  (address) => {
    expect(() => isPostgres(address)).toThrow(expect.objectContaining({ code: 'options_invalid' }))
    expect(() => isPostgres(address)).not.toThrow('pw')
    expect(shownDatabase(address)).not.toContain('pw')
  },
)
