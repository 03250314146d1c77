// The error of hooks outside of the data provider.
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { useAct } from '../../web/sync/act.ts'
import { useReconnect } from '../../web/sync/hooks.ts'

const Acting = () => <p>{String(useAct())}</p>
const Reconnecting = () => <p>{String(useReconnect())}</p>

test.each([
  ['actions', Acting],
  ['the connection', Reconnecting],
])('%s outside a provider', (_what, Component) => {
  expect(() => renderToString(<Component />)).toThrow('useZero must be used within a ZeroProvider')
})
