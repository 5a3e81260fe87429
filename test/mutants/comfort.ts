import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/comfort/guarded-request.ts',
    from: '!found.every(({ address }) => allows(address))',
    to: '!found.some(({ address }) => allows(address))',
    breaks: 'A host with a private address among its addresses is not fetched from.',
    killedBy: {
      'test/comfort/media.test.ts':
        'is not followed if its name resolves to a private address, even beside a public one',
    },
  },
  {
    file: 'src/comfort/guarded-request.ts',
    from: 'if (isIP(host) !== 0 && !network.allows(host)) throw notPublic(host)',
    to: '',
    breaks: 'A private address itself is not fetched from.',
    killedBy: {
      'test/comfort/media.test.ts':
        'a picture whose address leads into a private network is not fetched, and its message is given up at once',
    },
  },
  {
    file: 'src/comfort/guarded-request.ts',
    from: "if (url.protocol !== 'https:')",
    to: "if (url.protocol === 'ftp:')",
    breaks: 'Media are fetched by https alone, redirects included.',
    killedBy: { 'test/comfort/media.test.ts': 'is not followed where it is http://media.test/a' },
  },
  {
    file: 'src/comfort/hand-over.ts',
    from: `await ctx.reply(await contentFor(content, ctx))
    await ctx.handOver(o)`,
    to: `await ctx.handOver(o)
    await ctx.reply(await contentFor(content, ctx))`,
    breaks: 'A hand-over says so before the bot is silent.',
    killedBy: {
      'test/comfort/hand-over.test.ts':
        'a customer who asks for a person is told so, and not answered by the bot, for so long',
    },
  },
  {
    file: 'src/comfort/hand-over.ts',
    from: "=== 'other')",
    to: "!== 'bot')",
    breaks: 'Only a message that the bot cannot have sent hands a customer over.',
    killedBy: { 'test/comfort/hand-over.test.ts': 'a message that may be a send of unknown outcome hands nobody over' },
  },
  {
    file: 'src/comfort/media.ts',
    from: 'hops === 0 && isOfEmulator(url, baseUrl)',
    to: 'isOfEmulator(url, baseUrl)',
    breaks: 'A redirect from elsewhere does not lead to the emulator on this machine.',
    killedBy: { 'test/comfort/media.test.ts': 'is not reached by a redirect from elsewhere' },
  },
  {
    file: 'src/comfort/media.ts',
    from: 'origin === new URL(baseUrl).origin',
    to: 'isLoopback(origin)',
    breaks: 'Of this machine the address of the emulator alone is fetched from.',
    killedBy: {
      'test/comfort/media.test.ts':
        'is not reached by an app that runs against the service, nor at any other address of this machine',
    },
  },
  {
    file: 'src/comfort/media.ts',
    from: 'named.toLowerCase() === host',
    to: 'host.endsWith(named.toLowerCase())',
    breaks: 'The token goes to the hosts that are named alone, and to none that ends like one.',
    killedBy: { 'test/comfort/media.test.ts': 'goes to the hosts that the app named, and to no other' },
  },
  {
    file: 'src/comfort/media.ts',
    from: `size += chunk.length
      if (size > maxBytes) throw tooLarge()`,
    to: 'size += chunk.length',
    breaks: 'More bytes than allowed are refused, though nothing declared them.',
    killedBy: {
      'test/comfort/media.test.ts':
        'is refused if more bytes come than are allowed, whatever was declared, without waiting for the rest',
    },
  },
  {
    file: 'src/comfort/opening-hours.ts',
    from: 'from <= minute && minute < to',
    to: 'from <= minute && minute <= to',
    breaks: 'It is closed from the last minute on.',
    killedBy: {
      'test/comfort/opening-hours.test.ts':
        'go past midnight if they end earlier than they begin, on the last day of the week too',
    },
  },
  {
    file: 'src/comfort/opening-hours.ts',
    from: '|| within(yesterday, minute + DAY_MINUTES)',
    to: '',
    breaks: 'Hours past midnight belong to the day on which they begin.',
    killedBy: {
      'test/comfort/opening-hours.test.ts':
        'go past midnight if they end earlier than they begin, on the last day of the week too',
    },
  },
  {
    file: 'src/comfort/opening-hours.ts',
    from: "ctx.once('open', () => isOpen(ctx.now()))",
    to: 'isOpen(ctx.now())',
    breaks: 'A rerun after the doors have opened does not answer a second time.',
    killedBy: {
      'test/comfort/opening-hours.test.ts': 'a rerun after the doors have opened does not answer a second time',
    },
  },
  {
    file: 'src/comfort/stop.ts',
    from: 'if ((await handle.session()).stopped) return',
    to: 'if (false) return',
    breaks: 'Who said STOP gets nothing that is no answer.',
    killedBy: { 'test/comfort/stop.test.ts': 'is sent nothing that answers nothing, until START' },
  },
  {
    file: 'src/comfort/stop.ts',
    from: "if (typeof content === 'object' && content.kind === 'code') return handle.send(content, options)",
    to: '',
    breaks: 'A one-time code goes out in spite of STOP.',
    killedBy: { 'test/comfort/stop.test.ts': 'gets the one-time code that somebody waits for' },
  },
  {
    file: 'src/comfort/send-to-many.ts',
    from: 'if (wait > 0) await pause(wait, o.signal)',
    to: '',
    breaks: 'A message to many goes out no faster than asked for.',
    killedBy: { 'test/comfort/send-to-many.test.ts': 'goes out no faster than asked for' },
  },
  {
    file: 'src/comfort/send-to-many.ts',
    from: "result.via === 'template' && !isTemplate(content)",
    to: "result.via === 'template'",
    breaks: 'A template that was asked for is no fallback.',
    killedBy: { 'test/comfort/send-to-many.test.ts': 'counts a template that was asked for as sent' },
  },
] satisfies Mutant[]
