/** The help: all commands, one command, or all settings. */
import { describeSettings } from '../runtime/config.ts'
import { readApp } from '../read-app.ts'
import { tablesOf } from '../settings.ts'
import { StartError } from '#dodeca/kernel'
import { optionsOf, usageOf, type Command } from './command.ts'
import { suggestion } from '../kernel/errors/did-you-mean.ts'
import type { Terminal } from './terminal.ts'

/** `commands` contains all commands, including this one. */
export function helpCommand(commands: () => Promise<readonly Command[]>): Command {
  return {
    words: 'help',
    takes: ['[settings|command…]'],
    summary: 'Show how a command is used, or list the settings',
    run: async ({ args, terminal }) => {
      const topic = args.join(' ')
      if (topic === 'settings') return await showSettings(terminal)
      const all = await commands()
      if (topic === '') return showAll(all, terminal)
      const found = all.filter(one => one.words === topic || one.words.startsWith(`${topic} `))
      if (found.length === 0) {
        const known = ['settings', ...all.map(one => one.words)]
        throw new StartError(
          `There is no help on ${topic}.${suggestion(topic, known)} \`dodeca help\` lists all commands.`,
        )
      }
      showCommands(found, terminal)
    },
  }
}

export function showAll(commands: readonly Command[], terminal: Terminal): void {
  const width = Math.max(...commands.map(one => titleOf(one).length))
  terminal.answer({ commands: commands.map(shown) }, [
    'Usage: npx dodeca <command> [--json], or npx dodeca --version',
    '',
    ...commands.map(one => `  ${titleOf(one).padEnd(width)}  ${one.summary}`),
    '',
    '`npx dodeca help <command>` shows more; `npx dodeca help settings` lists the settings.',
    'Commands work directly on the database. If the embedded one does not run, it is started for the command.',
  ])
}

function titleOf({ words, takes = [] }: Command): string {
  return [words, ...takes].join(' ')
}

export function showCommands(commands: readonly Command[], terminal: Terminal): void {
  const lines = commands.flatMap((command, at) => [
    ...(at > 0 ? [''] : []),
    `Usage: npx dodeca ${usageOf(command)}`,
    '',
    `  ${command.summary}.`,
    ...(command.more ?? []).map(one => `  ${one}`),
    '',
    ...Object.entries(optionsOf(command)).map(
      ([name, { value, says }]) =>
        `  ${(value ? `--${name}=${value}` : `--${name}`).padEnd(22)}  ${says}`,
    ),
  ])
  terminal.answer({ commands: commands.map(shown) }, lines)
}

async function showSettings(terminal: Terminal): Promise<void> {
  const tables = tablesOf(await readApp())
  const settings = describeSettings(tables)
  const owners = new Set(['KERNEL', ...tables.map(owner)])
  const groups = Map.groupBy(settings, ({ variable }) => {
    const [first = ''] = variable.split('_')
    return owners.has(first) ? first : ''
  })
  const lines = [...groups].flatMap(([prefix, members], at) => [
    ...(at > 0 ? [''] : []),
    prefix === '' ? 'Platform' : prefix,
    ...members.flatMap(one => [
      `  ${one.variable}${one.secret ? ` or ${one.variable}_FILE` : ''}  ${one.default}`,
      ...wrapped(one.says),
      ...(one.values ? wrapped(`Values: ${one.values.join(' | ')}`) : []),
    ]),
  ])
  terminal.answer({ settings }, lines)
}

/** The first word of a surface's variables. */
function owner(settings: object): string {
  return Object.keys(settings)[0]?.split('.')[0]?.toUpperCase() ?? ''
}

const line_max = 92

function wrapped(text: string): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < line_max) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(`      ${word}`)
  }
  return lines
}

function shown(command: Command) {
  return { command: command.words, usage: usageOf(command), summary: command.summary }
}
