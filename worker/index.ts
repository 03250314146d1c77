/** What Cloudflare calls: requests, the clock, and the two classes of objects. */
import { createApp } from './app.ts'
import { type Env, readSettings } from './env.ts'
import { systemClock } from './lib/clock.ts'
import { runScheduledWork } from './scheduled.ts'

export { Generation } from './chat/generation.ts'
export { UserSync } from './user-sync/user-sync.ts'

const app = createApp(runScheduledWork)

export default {
  fetch: app.fetch,
  async scheduled(_controller, env) {
    // The page and the log of a misconfigured Worker say so already.
    if (readSettings(env).ok) await runScheduledWork(env, systemClock)
  },
} satisfies ExportedHandler<Env>
