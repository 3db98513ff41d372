/** A surface of your own with one route. Change it, or remove it before its first start. */
import { routesOf, surface, text, Type } from 'dodeca'

const Greeting = Type.Object({ message: text(200) }, { title: 'Greeting' })

const { open, get } = routesOf({ permission: 'authenticated' })

const routes = open({
  getGreeting: get('/v1/hello', 'Get a greeting', { reply: Greeting }, ({ principal }) => ({
    message: `Hello, account ${principal.id}.`,
  })),
})

export const hello = surface({
  name: 'hello',
  migrations: new URL('./migrations/', import.meta.url),
  open: kernel => ({ routes: routes({ kernel }) }),
})
