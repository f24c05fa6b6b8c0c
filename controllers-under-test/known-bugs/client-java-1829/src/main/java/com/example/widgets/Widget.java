package com.example.widgets;

import io.kubernetes.client.common.KubernetesListObject;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ListMeta;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.ArrayList;

public class Widget implements KubernetesObject {
  private String apiVersion;
  private String kind;
  private V1ObjectMeta metadata;

  @Override
  public String getApiVersion() {
    return apiVersion;
  }

  @Override
  public String getKind() {
    return kind;
  }

  @Override
  public V1ObjectMeta getMetadata() {
    return metadata;
  }

  public static class List implements KubernetesListObject {
    private String apiVersion;
    private String kind;
    private V1ListMeta metadata;
    private java.util.List<Widget> items = new ArrayList<>();

    @Override
    public String getApiVersion() {
      return apiVersion;
    }

    @Override
    public String getKind() {
      return kind;
    }

    @Override
    public V1ListMeta getMetadata() {
      return metadata;
    }

    @Override
    public java.util.List<Widget> getItems() {
      return items;
    }
  }
}
