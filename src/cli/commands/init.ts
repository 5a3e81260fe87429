import { type Command, Option } from 'commander'
import { init } from '../init/init.ts'
import { MANAGER_NAMES } from '../init/manager.ts'
import { TEMPLATE_NAMES, TEMPLATES } from '../init/template.ts'

/** `switchhook init`: from nothing to a tested bot. It is loaded on Node 20 too: what it writes brings its own runtime. */
export function addInit(program: Command): void {
  program
    .command('init')
    .description('write a new bot, ready to be installed, tested and run; asks in a terminal for what is not given')
    .argument('[dir]', 'its folder (default: this one, where it is empty)')
    .addOption(new Option('--template <template>', 'what it begins as (default: auto-reply)').choices(TEMPLATE_NAMES))
    .option('--name <name>', 'of its package (default: as the folder)')
    .addOption(
      new Option('--pm <manager>', 'its package manager (default: the one that runs this, or npm)').choices(
        MANAGER_NAMES,
      ),
    )
    .option(
      '--switchhook <spec>',
      'what it depends on (default: what runs this, be it a version, a tarball or a folder)',
    )
    .option('--no-git', 'do not make it a git repository')
    .option('--force', 'into a folder that is not empty, over files of the same name')
    .option('--yes', 'ask nothing')
    .option('--json', 'ask nothing; one line of JSON on stdout: {"folder":"…","files":[…],"next":[…],…}')
    .addHelpText(
      'after',
      `\nTemplates:\n${templates()}\n\nExample:\n  $ switchhook init my-bot --template support-desk\n`,
    )
    .action(init)
}

function templates(): string {
  return TEMPLATE_NAMES.map((name) => `  ${name.padEnd(14)}${TEMPLATES[name]}`).join('\n')
}
