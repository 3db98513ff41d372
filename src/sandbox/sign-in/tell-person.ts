/** What the providers answer about the person of an access token, each in its own words. */
import { numberOf, subjectOf, type Person } from './people.ts'
import { json, type Exchange, type Vended } from './vended.ts'

export function tellPerson({ people }: Vended, { provider, path, request, response }: Exchange) {
  const given = people.byToken(request.headers.authorization)
  if (given?.provider !== provider) return json(response, 401, { message: 'Bad credentials' })
  const { person } = given
  if (path === '/user/emails') return json(response, 200, emailsOf(person))
  // GitHub refuses clients that do not say their name.
  if (provider === 'github' && !request.headers['user-agent']) {
    return json(response, 403, { message: 'Send a User-Agent' })
  }
  json(response, 200, { ...person.claims, ...membersOf(provider, person) })
}

function membersOf(provider: string, person: Person): object {
  const { email = null, email_verified = false, name = null } = person
  if (provider === 'github') {
    return { id: numberOf(person), login: name?.toLowerCase().replaceAll(/\W/g, ''), name, email }
  }
  if (provider === 'discord') {
    return { id: subjectOf(person), global_name: name, email, verified: email_verified }
  }
  if (provider === 'facebook') return { id: subjectOf(person), name, ...(email ? { email } : {}) }
  return { sub: subjectOf(person), name, email, email_verified }
}

/** With one that is verified but not in use, and one that nobody has verified. */
function emailsOf(person: Person): object[] {
  const { email, email_verified = false } = person
  const local = `${numberOf(person)}+sandbox`
  return [
    { email: 'nobody-verified@example.com', primary: false, verified: false },
    ...(email_verified
      ? [{ email: `${local}@users.noreply.github.test`, primary: false, verified: true }]
      : []),
    ...(email ? [{ email, primary: true, verified: email_verified }] : []),
  ]
}
