/** The production entry: requests, scheduled work, and the two classes of Durable Objects. */
import { createApp } from './app.ts'
import type { Env } from './bindings.ts'
import { handleScheduled, runScheduledWork } from './scheduled.ts'

export { Generation } from './chat/generation-object.ts'
export { UserSync } from './user-sync/user-sync.ts'

export default {
  fetch: createApp(runScheduledWork).fetch,
  scheduled: (_controller, env) => handleScheduled(env),
} satisfies ExportedHandler<Env>
