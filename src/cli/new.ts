/**
 * Writes the first files of an application, a surface or a resource. The files are the person's own
 * from then on: a later version of the platform does not change them.
 */
import { StartError } from '#dodeca/kernel'
import type { Call, Command } from './command.ts'
import { makeApp } from './new/app.ts'
import { parseFields } from './new/fields.ts'
import { makeResource } from './new/resource.ts'
import { makeSurface } from './new/surface.ts'

export const newApp: Command = {
  words: 'new app',
  takes: ['<name>'],
  alone: true,
  summary: 'Make a folder with an application',
  options: {
    dodeca: {
      type: 'string',
      value: '<version|file:path>',
      says: 'The package that it depends on; by default the one that runs',
    },
  },
  run: async call => {
    const [name = ''] = call.args
    const files = await makeApp(name, call.option('dodeca'))
    answer(call, files, [`Next: cd ${name} && npm install && npm start`])
  },
}

export const newSurface: Command = {
  words: 'new surface',
  takes: ['<name>'],
  alone: true,
  summary: 'Add a surface to the application of this folder',
  run: async call => {
    const { files, say } = await makeSurface(process.cwd(), call.args[0] ?? '')
    answer(call, files, say)
  },
}

export const newResource: Command = {
  words: 'new resource',
  takes: ['<surface.name>', '[field:type…]'],
  alone: true,
  summary: 'Add a table with its five operations to a surface of your own',
  options: {
    one: { type: 'string', value: '<noun>', says: 'One of them, such as person for people' },
  },
  more: [
    'Such as `dodeca new resource crm.deals title:text amount_minor:money state:open/won`. A surface ' +
      'that is not there is made.',
    'The types are text, words (may be empty), integer, money (the name ends in _minor), boolean, ' +
      'time, day, id, and the values of a choice with a slash between them.',
  ],
  run: async call => {
    const [name = '', ...fields] = call.args
    const made = await makeResource(process.cwd(), name, parseFields(fields), call.option('one'))
    answer(call, made.files, made.say)
  },
}

function answer({ terminal }: Call, files: readonly string[], say: readonly string[]): void {
  if (files.length === 0) throw new StartError('Nothing was written.')
  terminal.answer({ files }, [...files.map(file => `  ${file}`), ...say])
}
