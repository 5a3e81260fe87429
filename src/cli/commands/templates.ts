import { type Command, Option } from 'commander'
import { example } from '../example.ts'
import { list } from '../templates/list.ts'
import { pull } from '../templates/pull.ts'
import { BASE_URL, PHONE_NUMBER_ID, TOKEN } from '../templates/service.ts'

/** `switchhook templates …`: the templates of one number, as the service lists them. */
export function addTemplates(program: Command): void {
  const templates = program
    .command('templates')
    .description("list the number's templates, and make types of them")
    .addHelpText('after', example('switchhook templates ls'))
  templates
    .command('ls')
    .description('list the templates, the newest first: what fills them, and whether a send would be accepted now')
    .option(...BASE_URL)
    .option(...TOKEN)
    .option(...PHONE_NUMBER_ID)
    .addOption(new Option('--sendable <which>', 'those alone that are sendable now, or not').choices(['true', 'false']))
    .option('--json', 'one object a line on stdout: {"name":"order_ready","language":"sw",…}')
    .addHelpText('after', example('switchhook templates ls --sendable false'))
    .action(list)
  templates
    .command('pull')
    .description('write types, so that a wrong name, language or number of parameters does not compile')
    .option(...BASE_URL)
    .option(...TOKEN)
    .option(...PHONE_NUMBER_ID)
    .option('--out <file>', 'where the types go, in place of those written before (default: stdout)')
    .option('--check', 'write nothing; exit with 1 where the file differs from the templates')
    .addHelpText('after', example('switchhook templates pull --out src/templates.d.ts'))
    .action(pull)
}
