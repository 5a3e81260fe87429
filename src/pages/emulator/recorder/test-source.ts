import { describeReply, describeStep } from '../../../emulator/recording/describe-recording.ts'
import type { Recording } from '../../../emulator/recording/recording.ts'

/** The source text of a vitest test for a recording. The test imports the bot from `../src/bot.ts`. */
export function testOf({ templates, ...recording }: Recording): string {
  const { name, steps } = recording
  const options = { at: steps[0]?.at, ...(templates && { templates }) }
  const transcript = steps.flatMap((step) => [
    `${step.at} ${describeStep(step)}`,
    ...(step.replies ?? []).map((reply) => `  → ${describeReply(reply)}`),
  ])
  return [
    "import { expect, it } from 'vitest'",
    "import { scenario } from 'switchhook/testing'",
    "import { bot } from '../src/bot.ts'",
    '',
    `const recording = ${JSON.stringify(recording, undefined, 2)}`,
    '',
    `it(${JSON.stringify(name)}, async () => {`,
    `  await using s = await scenario(bot, ${JSON.stringify(options)})`,
    `  expect((await s.play(recording)).split('\\n')).toEqual(${JSON.stringify(transcript, undefined, 2).replaceAll('\n', '\n  ')})`,
    '})',
    '',
  ].join('\n')
}
