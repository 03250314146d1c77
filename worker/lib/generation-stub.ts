/** The part of a namespace that finds an object by its id. */
export type ObjectNamespace<Stub> = {
  idFromString(id: string): DurableObjectId
  get(id: DurableObjectId): Stub
}

/** The `Generation` object with the id in `generation.objectId`; null for an id that is invalid or of another namespace. */
export function generationStub<Stub>(namespace: ObjectNamespace<Stub>, objectId: string): Stub | null {
  const id = parseId(namespace, objectId)
  return id === null ? null : namespace.get(id)
}

/** The platform throws for an id that is not one of the namespace. */
function parseId(namespace: ObjectNamespace<unknown>, objectId: string): DurableObjectId | null {
  try {
    return namespace.idFromString(objectId)
  } catch {
    return null
  }
}
