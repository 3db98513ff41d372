/**
 * Runs all checks of the installation, or the named ones. The command fails if a check finds a
 * violation.
 */
import { databaseQuestions } from '../runtime/doctor-database.ts'
import { examine, questions, type Finding } from '../runtime/doctor.ts'
import { idCheck } from '../kernel/http/lists/check-lists.ts'
import { StartError } from '#dodeca/kernel'
import type { Call, Command } from './command.ts'
import { enumerationQuestion } from './enumeration/examine.ts'
import { suggestion } from '../kernel/errors/did-you-mean.ts'
import { offline, type Offline } from './offline.ts'
import { packageQuestion } from './package-question.ts'
import type { Terminal } from './terminal.ts'

export const doctorCommand: Command = {
  words: 'doctor',
  takes: ['[check…]'],
  summary: 'Check the installation; exit code 1 on a violation',
  more: [
    '`dodeca doctor database` runs only if it is named, too: version, TLS, standby, archive, connections, age ' +
      'of transaction ids, and the largest tables, for a PostgreSQL of your own.',
    '`dodeca doctor enumeration` runs only if it is named. It takes as long as 1,200 requests, and checks ' +
      'whether the response times reveal that an address has an account. Run it on an idle machine.',
  ],
  run: async call => {
    const findings = await offline(call, platform => consult(call, platform))
    const ok = findings.every(one => one.state !== 'violation')
    call.terminal.answer(
      { ok, checks: findings },
      findings.flatMap(one => linesOf(one, call.terminal)),
    )
    if (!ok) call.fail()
  },
}

async function consult(call: Call, on: Offline): Promise<Finding[]> {
  const { platform, ground, pending } = on
  const { args: names } = call
  const composition = await call.composition()
  const { kernel, opened } = platform
  const all = Object.values(opened)
  // In development /dev/clock moves the times of rows and not their ids.
  const moved = kernel.profile === 'development'
  const ids = moved
    ? []
    : [
        idCheck(
          kernel.db,
          all.flatMap(one => one.routes),
        ),
      ]
  const checks = [...all.flatMap(one => one.checks ?? []), ...ids]
  const usual = [...questions(checks), packageQuestion()]
  const hasAccounts = composition.surfaces.some(one => one.name === 'identity')
  const named = hasAccounts ? [enumerationQuestion(call, on)] : []
  const known = [...usual, ...databaseQuestions, ...named]
  for (const name of names) {
    if (known.some(one => one.name === name)) continue
    const names_known = [...new Set(known.map(one => one.name))]
    throw new StartError(
      `There is no check ${name}.${suggestion(name, names_known)} The checks are ${names_known.join(', ')}.`,
    )
  }
  const asked = names.length === 0 ? usual : known.filter(one => names.includes(one.name))
  return await examine(asked, {
    db: kernel.db,
    clock: kernel.clock,
    keys: kernel.keys,
    data_dir: ground.data_dir.path,
    pending,
    checks,
  })
}

function linesOf({ check, says, state, found, advice }: Finding, terminal: Terminal): string[] {
  const colour = { ok: 'green', warning: 'yellow', violation: 'red' } as const
  const head = `${terminal.paint(colour[state], state.padEnd(9))}  ${check.padEnd(12)}`
  if (state === 'ok' && found.length < 2) return [`${head}  ${found[0] ?? says}`]
  return [
    `${head}  ${says}`,
    ...found.map(one => `             ${one}`),
    ...(advice === null ? [] : [`             → ${advice}`]),
  ]
}
