/**
 * Defines commands, and turns the words of the command line into a call of a command. An unknown
 * word or option gets one sentence that contains the nearest known one. No command has run at that
 * point.
 */
import { parseArgs } from 'node:util'
import type { Config } from '../runtime/config.ts'
import type { Composition } from '../runtime/platform-parts.ts'
import { StartError } from '#dodeca/kernel'
import { suggestion } from '../kernel/errors/did-you-mean.ts'
import type { Terminal } from './terminal.ts'

export type Option = {
  readonly type: 'string' | 'boolean'
  /** The name of the option's value in the help. */
  readonly value?: string
  readonly says: string
}

export type Command = {
  /** Such as `keys rotate encryption`. */
  readonly words: string
  /** The arguments of the command as the help shows them: `<one>`, `[one]`, `[many…]`. */
  readonly takes?: readonly string[]
  readonly options?: Readonly<Record<string, Option>>
  readonly summary: string
  /** Further paragraphs of the command's help. */
  readonly more?: readonly string[]
  /** The only surface that the command opens; all of them if it is left out. */
  readonly surface?: 'identity'
  /** It does not need the application of its folder. */
  readonly alone?: true
  run(call: Call): Promise<void>
}

export type Call = {
  readonly args: readonly string[]
  readonly terminal: Terminal
  /**
   * The composition of the platform. Loading it takes long, so only commands that need it load it.
   */
  composition(): Promise<Composition>
  option(name: string): string | undefined
  flag(name: string): boolean
  /** The command ran, and the result is negative: exit code 1. */
  fail(): void
  /** The configuration of this process. The given values override the environment. */
  config(overrides?: Readonly<Record<string, string | undefined>>): Config
}

export type Parsed = {
  readonly command: Command
  readonly args: readonly string[]
  readonly values: Readonly<Record<string, string | boolean | undefined>>
}

const everywhere: Readonly<Record<string, Option>> = {
  json: { type: 'boolean', says: 'Print JSON' },
  help: { type: 'boolean', says: 'Show how the command is used' },
}

export function optionsOf(command: Command): Readonly<Record<string, Option>> {
  return { ...command.options, ...everywhere }
}

export function parseCommand(commands: readonly Command[], argv: readonly string[]): Parsed {
  const end = argv.findIndex(word => word.startsWith('-'))
  const words = end === -1 ? argv : argv.slice(0, end)
  const command = commands
    .filter(one => one.words.split(' ').every((word, at) => words[at] === word))
    .sort((one, other) => other.words.length - one.words.length)[0]
  if (!command) throw unknownCommand(commands, argv)
  const rest = argv.slice(command.words.split(' ').length)
  const { values, positionals } = parseOptions(command, rest)
  if (!values['help']) checkArguments(command, positionals)
  return { command, args: positionals, values }
}

function parseOptions(command: Command, args: readonly string[]) {
  const options = optionsOf(command)
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
      const given = /'(--?[^'=]+)/.exec(message)?.[1] ?? ''
      const known = Object.keys(options).map(name => `--${name}`)
      throw new StartError(
        `\`dodeca ${command.words}\` has no option ${given}.${suggestion(given, known)} ` +
          `\`dodeca help ${command.words}\` lists all of them.`,
      )
    }
    throw new StartError(`${message.split('. ')[0]}. See \`dodeca help ${command.words}\`.`)
  }
}

function checkArguments(command: Command, args: readonly string[]): void {
  const takes = command.takes ?? []
  const needed = takes.filter(one => one.startsWith('<'))
  const usage = `Use it as \`dodeca ${usageOf(command)}\`.`
  if (args.length < needed.length) {
    throw new StartError(`\`dodeca ${command.words}\` requires ${needed[args.length]}. ${usage}`)
  }
  const extra = args[takes.length]
  if (extra !== undefined && !takes.at(-1)?.includes('…')) {
    throw new StartError(`\`dodeca ${command.words}\` takes no argument ${extra}. ${usage}`)
  }
}

export function usageOf(command: Command): string {
  const options = Object.entries(command.options ?? {}).map(([name, { value }]) =>
    value ? `[--${name}=${value}]` : `[--${name}]`,
  )
  return [command.words, ...(command.takes ?? []), ...options].join(' ')
}

function unknownCommand(commands: readonly Command[], argv: readonly string[]): StartError {
  const given = argv.filter(word => !word.startsWith('-'))
  const group = commands.filter(one => given[0] && one.words.startsWith(`${given[0]} `))
  if (group.length > 0) {
    const choices = group.map(one => one.words.slice((given[0]?.length ?? 0) + 1))
    const hint = given[1] ? suggestion(given.slice(1).join(' '), choices) : ''
    const said = given[1] ? `\`dodeca ${given[0]}\` has no ${given[1]}.${hint} ` : ''
    return new StartError(`${said}\`dodeca ${given[0]}\` is followed by ${orList(choices)}.`)
  }
  const first = given[0] ?? argv[0] ?? ''
  const known = [...new Set(commands.map(one => one.words.split(' ')[0] ?? ''))]
  return new StartError(
    `There is no command ${first}.${suggestion(first, known)} \`dodeca help\` lists all of them.`,
  )
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
