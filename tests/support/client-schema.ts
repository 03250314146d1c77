/** The schema as a client sends it: sorted tables, columns and primary keys. */
import { schema } from '../../worker/contract/schema.ts'

export const clientSchema = () => ({
  tables: Object.fromEntries(
    Object.entries(schema.tables)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { columns, primaryKey }]) => [
        name,
        {
          columns: Object.fromEntries(Object.entries(columns).map(([column, { type }]) => [column, { type }])),
          primaryKey: [...primaryKey].sort(),
        },
      ]),
  ),
})
