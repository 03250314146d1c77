/**
 * By group, the newest version of the rows in a table of the object's state, or a later one. A connection at that version needs no read:
 * without this, a push to ten browsers takes 37 statements in place of 8. After a rollback the version may be too large, which costs one read.
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

/** Reads all rows of a group, for a table with few rows per group. */
export const newestIn =
  (sql: Sql, table: string) =>
  (groupID: string): Version =>
    sql.all<{ version: Version | null }>(`select max(version) version from ${table} where groupID = ?`, groupID)[0]?.version ?? 0
