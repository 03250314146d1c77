// The migration files and wrangler's bookkeeping table, for local and deployed databases.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrationsDir } from './paths.ts'

export const bookkeeping = `create table if not exists d1_migrations(
  id         integer primary key autoincrement,
  name       text unique,
  applied_at timestamp default current_timestamp not null
)`

export function migrationNames(): string[] {
  return readdirSync(migrationsDir)
    .filter((name) => name.endsWith('.sql'))
    .sort()
}

export const migrationText = (name: string): string => readFileSync(join(migrationsDir, name), 'utf8')
