import type { Command } from 'commander'
import { diff } from '../contract/diff.ts'
import { example } from '../example.ts'
import { BASE_URL, PHONE_NUMBER_ID, TOKEN } from '../templates/service.ts'

/** `switchhook contract …`: what this release takes the service for. */
export function addContract(program: Command): void {
  program
    .command('contract')
    .description('compare the service with what this release takes it for')
    .addHelpText('after', EXAMPLE)
    .command('diff')
    .description('print how a live openapi.json differs from the built-in contract; exits with 1 where it does')
    .option(...BASE_URL)
    .option(...TOKEN)
    .option(...PHONE_NUMBER_ID)
    .option('--json', 'one object a line on stdout: {"kind":"changed","place":"POST /messages body text",…}')
    .addHelpText('after', EXAMPLE)
    .action(diff)
}

const EXAMPLE = example('switchhook contract diff --base-url https://service.example')
