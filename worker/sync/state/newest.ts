/**
 * By group, the newest version that a table of the object's state has a row of, or a later one: whoever stands there has nothing to be
 * told, and nothing is read for them. Too late a version, left by a transaction that was undone, costs a read and nothing else.
 */
import type { Sql, Version } from '../engine/types.ts'

export class Newest {
  readonly #read: (groupID: string) => Version
  readonly #versions = new Map<string, Version>()

  constructor(read: (groupID: string) => Version) {
    this.#read = read
  }

  written(groupID: string, version: Version): void {
    this.#versions.set(groupID, Math.max(this.#known(groupID), version))
  }

  isAbove(groupID: string, since: Version | null): boolean {
    return since === null || this.#known(groupID) > since
  }

  #known(groupID: string): Version {
    const known = this.#versions.get(groupID)
    if (known !== undefined) return known
    const version = this.#read(groupID)
    this.#versions.set(groupID, version)
    return version
  }
}

/** For a table in which a group has few rows: reads all of them. */
export const newestIn =
  (sql: Sql, table: string) =>
  (groupID: string): Version =>
    sql.all<{ version: Version | null }>(`select max(version) version from ${table} where groupID = ?`, groupID)[0]?.version ?? 0
