/**
 * Starts the console: finds who is logged in, then shows the page. Without a session it leads to
 * the login page and back.
 */
import { render } from 'preact'
import { Problem } from '../../client/src/index.ts'
import { App } from './app.tsx'
import { language } from './language.ts'
import { startLive } from './live.ts'
import { ProblemBox } from './problem-box.tsx'
import { logInAddress, mayHaveSession, openSession } from './session.ts'

document.documentElement.lang = language

const root = document.body
if (!mayHaveSession()) location.assign(logInAddress())
else await start()

async function start(): Promise<void> {
  try {
    await openSession()
    startLive()
    render(<App />, root)
  } catch (error) {
    if (error instanceof Problem && error.status === 401) location.assign(logInAddress())
    else render(<ProblemBox error={error} retry={() => location.reload()} />, root)
  }
}
