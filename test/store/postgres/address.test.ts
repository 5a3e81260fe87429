import { expect, it } from 'vitest'
import { isPostgres, shownDatabase } from '../../../src/store/postgres/address.ts'

it.each(['postgres://u:pw@h/db', 'POSTGRES://u:pw@h/db', 'PostgreSQL://u:pw@h/db'])('%s is PostgreSQL', (address) => {
  expect(isPostgres(address)).toBe(true)
  expect(shownDatabase(address)).toMatch(/^postgres(ql)?:\/\/h\/db$/)
})

it.each([
  './bot.db',
  ':memory:',
  '/var/lib/bot.db',
  'C:/bot.db',
  String.raw`C:\Users\me@corp\bot.db`,
  'a:b.db',
  './shop:7.db',
  '/data/tenant=5/bot.db',
  'me@home.db',
  "asha's bot.db",
])('%s is a file', (file) => {
  expect(isPostgres(file)).toBe(false)
  expect(shownDatabase(file)).toBe(file)
})

it.each([
  ' postgres://u:pw@h/db',
  'postgres://u:pw@h/db\n',
  'postgres://u:pw@h/db\r\nX=1',
  '\uFEFFpostgres://u:pw@h/db',
  '"postgres://u:pw@h/db"',
  "'postgres://u:pw@h/db'",
  "'postgres://u:pw@h/db",
  '"host=h password=pw"',
  'jdbc:postgresql://u:pw@h/db',
  'postgres%3A%2F%2Fu%3Apw%40h%2Fdb',
  'h:5432:db:u:pw',
  'jdbc:postgresql://h/db?user=u&password=pw',
  'postgresql+asyncpg://u:pw@h/db',
  'postgres+psycopg2://u:pw@h/db',
  'mysql://u:pw@h/db',
  'MYSQL://u:pw@h/db',
  'postgres:/u:pw@h/db',
  'postgres:u:pw@h/db',
  'postgress://u:pw@h/db',
  'file:/x?password=pw',
  'file:bot.db',
  'sqlite:///bot.db',
  'u:pw@h/db',
  'u:pw@h:5432/db',
  'u:p/w@h/pw',
  '//u:pw@h/db',
  './u:pw@h/db',
  'h:5432/pw',
  '10.0.0.5:5432/pw',
  'host=h user=u password=pw dbname=db',
  'dbname=bot user=u',
  'h/db?password=pw',
  'h/db?PASSWORD = pw',
  'Server=h;User Id=u;Pwd=pw',
])('%j is an error, in which no password is repeated', (address) => {
  expect(() => isPostgres(address)).toThrow(expect.objectContaining({ code: 'options_invalid' }))
  expect(() => isPostgres(address)).not.toThrow('pw')
  expect(shownDatabase(address)).not.toContain('pw')
})

it.each(['pw#x', 'pw?x', 'pw/x', '12#pw', '12?pw', '12/pw', 'p@pw#x', 'p@/pw', 'x:y/pw'])(
  'a raw %j in an address is refused with the advice to percent-encode the password, which is not repeated',
  (password) => {
    const address = `postgres://u:${password}@h/db`
    expect(() => isPostgres(address)).toThrow(
      expect.objectContaining({ code: 'options_invalid', message: expect.stringContaining('percent-encode') }),
    )
    expect(() => isPostgres(address)).not.toThrow('pw')
    expect(shownDatabase(address)).toBe('postgres://')
    expect(isPostgres(`postgres://u:${encodeURIComponent(password)}@h/db`)).toBe(true)
  },
)

it.each([
  'postgres:///db?host=/run/postgresql',
  'postgres://u:p@/db?host=/run/postgresql',
  'postgres://%2Frun%2Fpostgresql/db',
  'postgres://u:p@[::1]:5432/db',
  'postgres://h/db?application_name=a@b',
  'postgres://u:p@x[%25@h/db?sslmode=require',
])('%s is an address', (address) => {
  expect(isPostgres(address)).toBe(true)
})
