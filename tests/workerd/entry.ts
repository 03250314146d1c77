// The Worker under test: the real one, whose objects can be told that D1 failed them.
export { default } from '../../worker/index.dev.ts'
export { TodoSync } from '../support/todo-app/todo-sync.ts'
export { FaultyGeneration as Generation } from './faulty-generation.ts'
export { WatchedUserSync as UserSync } from './watched-user-sync.ts'
