/** The columns that servers of users and of organizations share, so that the same statements read and write both. */
import { integer, text } from 'drizzle-orm/sqlite-core'
import type {
  LeftOut,
  ServerPrompt,
  ServerResource,
  ServerTool,
  ToolServerFailure,
  ToolServerLogin,
  ToolServerState,
} from '../../contract/tools/tool-servers.ts'

export const serverColumns = () => ({
  name: text().notNull(),
  url: text().notNull(),
  login: text().$type<ToolServerLogin>().notNull(),
  state: text().$type<ToolServerState>().notNull(),
  failure: text().$type<ToolServerFailure>(),
  tools: text({ mode: 'json' }).$type<readonly ServerTool[]>().notNull(),
  unusable: integer().notNull().default(0),
  off: text({ mode: 'json' }).$type<readonly string[]>(),
  headerNames: text({ mode: 'json' }).$type<readonly string[]>(),
  createdAt: integer().notNull(),
  checkedAt: integer().notNull(),
  resources: text({ mode: 'json' }).$type<readonly ServerResource[]>(),
  prompts: text({ mode: 'json' }).$type<readonly ServerPrompt[]>(),
  leftOut: text({ mode: 'json' }).$type<readonly LeftOut[]>(),
})

export const secretColumns = () => ({
  sealed: text().notNull(),
  version: integer().notNull().default(1),
  renewingUntil: integer().notNull().default(0),
})
