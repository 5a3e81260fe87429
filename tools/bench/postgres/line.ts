/** node line.ts PORT MS: a line to a PostgreSQL server of this machine on which each answer takes so long. */
import { connect, createServer, type Socket } from 'node:net'

const [port, roundTripMs] = process.argv.slice(2).map(Number) as [number, number]

const line = createServer({ noDelay: true }, (app) => {
  const database = connect({ port, host: '127.0.0.1', noDelay: true })
  const carry = (from: Socket, to: Socket) => {
    from.on('data', (bytes) => setTimeout(() => to.write(bytes), roundTripMs / 2))
    from.on('close', () => to.destroy()).on('error', () => to.destroy())
  }
  carry(app, database)
  carry(database, app)
})
line.listen(0, '127.0.0.1', () => process.send?.((line.address() as { port: number }).port))
process.on('disconnect', () => process.exit())
