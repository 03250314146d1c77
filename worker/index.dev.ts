/** The entry of `npm start`, `npm run dev` and the tests: the production Worker, with stand-ins for services that have no key. */
import { createApp } from './app.ts'
import type { Env } from './bindings.ts'
import { Generation as ProductionGeneration } from './chat/generation-object.ts'
import { simulationRoutes } from './dev/payments/routes.ts'
import { simulationPath } from './dev/payments/simulation.ts'
import { withStandIns } from './dev/stand-ins.ts'
import { handleScheduled, runScheduledWork } from './scheduled.ts'

export { UserSync } from './user-sync/user-sync.ts'

export class Generation extends ProductionGeneration {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withStandIns(env))
  }
}

const app = createApp(runScheduledWork, { path: simulationPath, routes: simulationRoutes })

export default {
  fetch: (request, env, ctx) => app.fetch(request, withStandIns(env), ctx),
  scheduled: (_controller, env) => handleScheduled(withStandIns(env)),
} satisfies ExportedHandler<Env>
